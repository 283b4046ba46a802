"""The fast twins of a `Generator` and a `Bert`: the same results on a CPU in less time, for inference only.

`optimise(model)` builds it from the readable model, which stays the reference: `tests/cpu` compares the two. It
supports only certain models (`knows`) and returns others unchanged; calls that a twin cannot compute exactly, such as
edits, or those under autocast, go to the readable model.
"""

from __future__ import annotations

from typing import Any, get_args

import torch
from torch import Tensor, nn

from former.bert import Bert
from former.checks import require_choice, require_instance
from former.config import shapes_only
from former.cpu import packed, step
from former.cpu.step import Precision
from former.hooks import Observer
from former.models import Generator
from former.observable import observable
from former.stack import Cache


def optimise(model: Any, weights: Precision = "fp32") -> Any:
    """Returns the fast twin of a model, with the same calling convention; the model itself if it has no twin.

    The twin has its own copies of the weights, so build it when they are final. The step is compiled here, not at the
    first call: some 4 s of processor time, under 2 s from numba's cache. (Whether threads share a step depends on
    torch's number of threads, so set that first.)

    Args:
        model: a model that is not training.
        weights: "int8" rounds every matrix to 8 bits, row by row: `w ≈ scale_row · integer`, so that a step reads a
            quarter of the bytes. The twin then computes the rounded model in every call. Without numba this would gain
            nothing, so the weights stay as they are; so do a Bert's, which has no step.
    Raises:
        ValueError: unknown weights, or a model in training mode with dropout.
    """
    require_choice("weights", weights, get_args(Precision))
    require_instance("model", model, nn.Module)
    if model.training and model.config.dropout:
        raise ValueError("model must not be in training mode with dropout: call model.eval() first")
    if not knows(model):
        return model
    if isinstance(model, Bert):
        return FastBert(model)
    if weights == "int8" and step.available():
        model = step.rounded(model)
    return FastGenerator(model, weights)


def knows(model: nn.Module) -> bool:
    """Returns whether a twin can compute this model.

    Its shape must be supported, its modules those that the shape implies, and its weights fp32 on the CPU.
    """
    if type(model) not in (Generator, Bert):
        return False
    config: Any = model.config
    with shapes_only():  # the printed form of a model has every module with its sizes and options
        as_configured = str(type(model)(config))
    return (
        config.variant in ("narrow", "wide")
        and config.scaled
        and config.unify
        and getattr(config, "positions", "learned") in ("none", "learned", "sinusoidal", "rotary")
        and str(model) == as_configured
        and all(p.device.type == "cpu" and p.dtype == torch.float32 for p in model.parameters())
    )


class FastGenerator:
    """The fast twin of a Generator, called like the Generator. No call leaves a state in it, so threads may share it.

    Args:
        model: the readable model, for edits and custom observers.
        weights: precision of the step's weights; "int8" needs weights that are already rounded.
    """

    def __init__(self, model: Generator, weights: Precision = "fp32") -> None:
        self.model, self.weights = model, weights
        self.config, self.parameters = model.config, model.parameters  # read by `generate`
        with torch.no_grad():
            self._stack = packed.PackedStack(model.transformer.blocks, model.config)
            self._toprobs = self._step = None
            if model.config.output_layer:
                bias = None if model.toprobs is None else model.toprobs.bias
                self._toprobs = packed.Packed(model.output_weight, bias)
            if self._toprobs and step.available() and model.config.mask == "causal":  # its step attends to all before
                self._step = step.Step(model, weights)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles the readable model alone: packed weights can be neither copied nor pickled."""
        return FastGenerator, (self.model, self.weights)

    @torch.no_grad()
    @observable
    def __call__(
        self, tokens: Tensor, mask: Tensor | None = None, observer: Observer | None = None, cache: Cache | None = None
    ) -> Tensor:
        """Computes the output of `Generator.forward`, with the same arguments except `recompute`."""
        require_instance("tokens", tokens, Tensor)
        if torch.is_autocast_enabled("cpu"):  # packed weights have one dtype
            return self.model(tokens, mask, observer, cache)
        if self._step and mask is None and self._step.takes(tokens, observer, cache):
            return self._step(tokens, observer, cache)  # pyright: ignore[reportArgumentType]
        stack, past = self.model.transformer, 0 if cache is None else cache.length
        stack.check(tokens, past)
        b, t = tokens.shape
        if mask is None:
            mask = self.model.mask(t, past)
        x = stack.embed(tokens, past)
        x = self._stack(x, mask, observer, cache, stack.turn(x, past))
        if cache is not None:
            cache.length = past + t
        x = self.model.norm(x)
        return (self._toprobs(x) if self._toprobs else x)[: b * t].view(b, t, -1)


class FastBert:
    """The fast twin of a `Bert`, called like the Bert; its output heads can be called on `model`.

    Args:
        model: the readable model.
    """

    def __init__(self, model: Bert) -> None:
        self.model = model
        self.config, self.parameters = model.config, model.parameters
        with torch.no_grad():
            self._stack = packed.PackedStack(list(model.transformer.blocks), model.config)
            self._dense = self._toprobs = None
            if (words := model.words) is not None:
                self._dense = packed.Packed(words.dense.weight, words.dense.bias, model.config.activation)
                self._toprobs = packed.Packed(model.transformer.token_embedding.weight, words.bias)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles the readable model alone, as `FastGenerator.__reduce__` does."""
        return FastBert, (self.model,)

    @torch.no_grad()
    @observable
    def __call__(
        self,
        tokens: Tensor,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        observer: Observer | None = None,
    ) -> Tensor:
        """Computes the output of `Bert.forward`, with the same arguments except `recompute`."""
        if torch.is_autocast_enabled("cpu"):
            return self.model(tokens, segments, mask, observer)
        if self.model.words is None or self._dense is None or self._toprobs is None:
            return self.encode(tokens, segments, mask, observer)
        x = self._encoded(tokens, segments, mask, observer)
        return self._toprobs(self.model.words.norm(self._dense(x)))[: tokens.numel()].view(*tokens.shape, -1)

    @torch.no_grad()
    @observable
    def encode(
        self,
        tokens: Tensor,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        observer: Observer | None = None,
    ) -> Tensor:
        """Computes the vectors after the last block (b, t, e). Arguments and errors are those of `Bert.encode`."""
        if torch.is_autocast_enabled("cpu"):
            return self.model.encode(tokens, segments, mask, observer)
        return self._encoded(tokens, segments, mask, observer)[: tokens.numel()].view(*tokens.shape, -1)

    def _encoded(
        self, tokens: Tensor, segments: Tensor | None, mask: Tensor | None, observer: Observer | None
    ) -> Tensor:
        """Computes the output of the last block: (rows, e), of which the first b·t are valid."""
        x, mask = self.model.embed(tokens, segments, mask)
        return self._stack(x, mask, observer)
