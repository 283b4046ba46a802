"""Everything that fixes a training run: a recipe for each shipped model, and for each training that one goes on from.

recipe         the record, as JSON and as settings of a command line
shipped        the recipe of each shipped model, by its name
tiny           those of the tiny family
intermediate   those of the trainings that a shipped model's own goes on from
"""

from former.training.recipes.recipe import Precision, Recipe
from former.training.recipes.shipped import RECIPES

__all__ = ["RECIPES", "Precision", "Recipe"]
