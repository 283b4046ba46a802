"""The weights of step 0: random, or those of another model, with new blocks in between if this one is deeper."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

import former
from former import gpt2
from former.baselines import ConvModel, GRUModel
from former.bert import BertStack
from former.checkpoints import MODEL_KINDS
from former.models import Classifier
from former.tokens.wordpiece import WordPieceTokenizer
from former.training import neighbours, optim
from former.training.recipes import Recipe

_BLOCK = re.compile(r"(?:(?<=\.blocks\.)|(?<=\.positions\.layers\.))\d+(?=\.)")  # also a layer's relative positions
_LAST = re.compile(r"(unifyheads|ff\.2)\.(weight|bias)$")  # the last linear map of each of a block's two branches
_POSITIONS = "transformer.positions.embedding.weight"


def make_model(recipe: Recipe, *, with_weights: bool = True) -> Any:
    """Builds a recipe's model with its weights of step 0.

    Args:
        recipe: the kind of model, config, seed and weights.
        with_weights: False ignores the recipe's `weights`, because a saved state will be loaded.
    Raises:
        ValueError: the recipe's weights do not fit the model, or its `initial` is not possible for this kind of model.
    """
    model_class, _ = MODEL_KINDS[recipe.kind]
    model: Any = model_class(recipe.model)
    if recipe.initial == "gpt2":
        if isinstance(model, GRUModel | ConvModel):
            raise ValueError(f"initial must be 'zeros' for a {recipe.kind}, which is no transformer, got 'gpt2'")
        gpt2.initialize(model, torch.Generator().manual_seed(recipe.seed))
    else:
        optim.initialise(model, recipe.seed)
    if recipe.initial == "neighbours":
        fits = isinstance(model, BertStack | Classifier)
        if not fits or _POSITIONS not in model.state_dict():
            without = " without learned positions" if fits else ""
            raise ValueError(f"initial must be 'zeros' or 'gpt2' for a {recipe.kind}{without}, got 'neighbours'")
        neighbours.look_at_neighbours(model, torch.Generator().manual_seed(recipe.seed))
    if recipe.weights and with_weights:
        model.load_state_dict(_initial_state(model.state_dict(), recipe))
    return model


def wordpiece_of(recipe: Recipe, texts: Iterable[str]) -> WordPieceTokenizer:
    """Returns the tokenizer of a recipe's initial weights; for random weights, one trained on the texts.

    Raises:
        ValueError: the initial weights come without a WordPiece tokenizer.
    """
    if not recipe.weights:
        return WordPieceTokenizer.train(texts, recipe.model.num_tokens)
    tokenizer = former.load(recipe.weights).tokenizer
    if not isinstance(tokenizer, WordPieceTokenizer):
        raise ValueError(f"weights must be of a BERT with its WordPiece tokenizer, got {recipe.weights!r}")
    return tokenizer


def _initial_state(state: dict[str, Tensor], recipe: Recipe) -> dict[str, Tensor]:
    """Returns the weights that a recipe names, fitted to this model; `state` has the model's own random weights.

    Weights that this model does not have are dropped; a last layer or relative positions that only this model has are
    taken from `state`. If the other model is n times shallower, its block i becomes block i·n, and n − 1 new blocks
    follow it. Their last maps are zero, so in a pre-norm stack they add nothing, and the model computes the same
    function. If the other model has fewer learned positions, the second half of them is repeated.
    """
    source = former.load(recipe.weights)
    times, rest = divmod(recipe.model.depth, source.config.depth)
    if rest or (times > 1 and not (recipe.model.norm == "pre" and recipe.model.unify)):
        raise ValueError(
            f"model.depth must be that of {recipe.weights!r}, {source.config.depth}, or, in a pre-norm model with "
            f"unified heads, a multiple of it, got {recipe.model.depth}"
        )
    weights = {
        _BLOCK.sub(lambda number: str(times * int(number[0])), name): tensor
        for name, tensor in source.model.state_dict().items()
    }
    if _POSITIONS in weights and _POSITIONS in state and len(weights[_POSITIONS]) < len(state[_POSITIONS]):
        weights[_POSITIONS] = _extend(weights[_POSITIONS], len(state[_POSITIONS]))
    for name, tensor in state.items():
        block = _BLOCK.search(name)
        # A BERT gets a classifier's last layer, and a Generator the relative positions of a Transformer-XL.
        is_new = name not in weights and name.startswith(("toprobs.", "transformer.positions.layers."))
        if is_new or (block and int(block[0]) % times):
            weights[name] = torch.zeros_like(tensor) if _LAST.search(name) else tensor
        elif name not in weights or weights[name].shape != tensor.shape:
            raise ValueError(f"model must have the shape of {recipe.weights!r}, whose weights it starts from")
    return {name: weights[name] for name in state}


def _extend(positions: Tensor, count: int) -> Tensor:
    """Extends position vectors (t, e) to (count, e) by repeating their second half.

    There, as at the new positions, a token has much text before it.
    """
    half = len(positions) // 2
    more = torch.arange(count - len(positions), device=positions.device) % (len(positions) - half)
    return torch.cat([positions, positions[half + more]])
