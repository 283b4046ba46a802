"""What a run begins with: random weights, or those of another model, grown where this one is deeper."""

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
from former.checkpoints import KINDS
from former.tokens.wordpiece import WordPieceTokenizer
from former.training import neighbours, optim
from former.training.recipes import Recipe

_BLOCK = re.compile(r"(?:(?<=\.blocks\.)|(?<=\.positions\.layers\.))\d+(?=\.)")  # and each layer's terms of distance
_LAST = re.compile(r"(unifyheads|ff\.2)\.(weight|bias)$")  # the maps with which a block's two branches end
_POSITIONS = "transformer.positions.embedding.weight"


def make_model(recipe: Recipe, *, with_weights: bool = True) -> Any:
    """The model of a recipe as it stands at step 0.

    Args:
        recipe: whose kind of model, config, seed and weights.
        with_weights: False leaves the recipe's `weights` aside: a saved state follows.
    Raises:
        ValueError: the weights that it begins with do not fit, or it begins as no model of its kind does.
    """
    model_class, _ = KINDS[recipe.kind]
    model: Any = model_class(recipe.model)
    if recipe.initial == "gpt2":
        if isinstance(model, GRUModel | ConvModel):
            raise ValueError(f"initial must be 'zeros' for a {recipe.kind}, which is no transformer, got 'gpt2'")
        gpt2.initialize(model, torch.Generator().manual_seed(recipe.seed))
    else:
        optim.initialise(model, recipe.seed)
    if recipe.initial == "neighbours":
        if not isinstance(model, BertStack):
            raise ValueError(f"initial must be 'zeros' or 'gpt2' for a {recipe.kind}, got 'neighbours'")
        neighbours.look_at_neighbours(model, torch.Generator().manual_seed(recipe.seed))
    if recipe.weights and with_weights:
        model.load_state_dict(_begun(model.state_dict(), recipe))
    return model


def pieces_of(recipe: Recipe, texts: Iterable[str]) -> WordPieceTokenizer:
    """The tokenizer of the weights that a recipe begins with; without weights, one made of the texts.

    Raises:
        ValueError: weights without a WordPiece.
    """
    if not recipe.weights:
        return WordPieceTokenizer.train(texts, recipe.model.num_tokens)
    tokenizer = former.load(recipe.weights).tokenizer
    if not isinstance(tokenizer, WordPieceTokenizer):
        raise ValueError(f"weights must be of a BERT, with its WordPiece, got {recipe.weights!r}")
    return tokenizer


def _begun(state: dict[str, Tensor], recipe: Recipe) -> dict[str, Tensor]:
    """The weights that a recipe names, and of `state` the blocks that are new.

    What this model does not have is left out; a last layer or terms of distance that it has besides stay as in `state`.
    Of a shallower model, block i becomes block i·n and n − 1 new ones follow it. Their last maps are made zero, so that
    in a pre-norm stack they add nothing: the function stays the same. Where there are fewer learned positions, those
    that are missing begin as the second half of them, again and again.
    """
    source = former.load(recipe.weights)
    times, rest = divmod(recipe.model.depth, source.config.depth)
    if rest or (times > 1 and not (recipe.model.norm == "pre" and recipe.model.unify)):
        raise ValueError(
            f"model.depth must be that of {recipe.weights!r}, {source.config.depth}, or in a pre-norm model with "
            f"unified heads a multiple of it, got {recipe.model.depth}"
        )
    held = {
        _BLOCK.sub(lambda number: str(times * int(number[0])), name): tensor
        for name, tensor in source.model.state_dict().items()
    }
    if _POSITIONS in held and _POSITIONS in state and len(held[_POSITIONS]) < len(state[_POSITIONS]):
        held[_POSITIONS] = _repeated(held[_POSITIONS], len(state[_POSITIONS]))
    for name, tensor in state.items():
        block = _BLOCK.search(name)
        # A classifier's last layer, on a BERT; a Transformer-XL's terms of distance, on a Generator.
        added = name not in held and name.startswith(("toprobs.", "transformer.positions.layers."))
        if added or (block and int(block[0]) % times):
            held[name] = torch.zeros_like(tensor) if _LAST.search(name) else tensor
        elif name not in held or held[name].shape != tensor.shape:
            raise ValueError(f"model must have the shape of {recipe.weights!r}, with whose weights it begins")
    return {name: held[name] for name in state}


def _repeated(positions: Tensor, count: int) -> Tensor:
    """(t, e) → (count, e), count above t: in the second half, as in what is new, a token has much before it."""
    half = len(positions) // 2
    more = torch.arange(count - len(positions), device=positions.device) % (len(positions) - half)
    return torch.cat([positions, positions[half + more]])
