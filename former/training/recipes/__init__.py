"""All settings of a training run: a recipe for each shipped model, and for each training that came before it.

recipe         the record; reads it from JSON and from a command line
shipped        the recipes of the shipped models, by name
tiny           the recipes of the tiny family
intermediate   the recipes of trainings whose weights a shipped model starts from
"""

from former.training.recipes.recipe import Precision, Recipe
from former.training.recipes.shipped import RECIPES

__all__ = ["RECIPES", "Precision", "Recipe"]
