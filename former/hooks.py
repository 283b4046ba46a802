"""Looking into a forward pass, and changing it, without touching the model.

One model serves many people at once, so nothing of a call may live on a module: a hook is an argument. Whoever
wants to look hands the model an `Observer`; the model asks it for a hook at each layer and calls that hook at
each of these points of the layer's attention:

    q, k, v    (b, h, t, s)   queries, keys and values, one for each head
    scores     (b, h, t, t)   scaled dot products, −∞ where masked
    weights    (b, h, t, t)   softmax of the scores; rows sum to 1
    out        (b, h, t, s)   the weighted average of the values, before the heads are unified

Sizes: b batch, t tokens, h heads, s size of one head. Weights are (query, key): who looks, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import torch
from torch import Tensor

POINTS = ("q", "k", "v", "scores", "weights", "out")

Hook = Callable[[str, Tensor], Tensor | None]
"""hook(point, tensor): None to observe, a tensor of the same shape to replace it."""


class Observer(Protocol):
    """What a model takes as `capture`: a `Capture`, an `Edit`, several chained, or one's own."""

    def at(self, layer: int) -> Hook | None:
        """The hook for this layer, or None to leave the layer alone, and fast."""
        ...


class Capture:
    """The tensors of ONE forward call.

    Args:
        names: the points to keep, of `POINTS`.
        layers: the layers to keep them at, from 0; None for all.
    Raises:
        ValueError: a name that is no point.
    """

    def __init__(self, names: Iterable[str] = ("weights",), layers: Iterable[int] | None = None) -> None:
        self.names = frozenset([names] if isinstance(names, str) else names)
        self.layers = None if layers is None else frozenset(layers)
        if unknown := sorted(self.names - set(POINTS)):
            raise ValueError(f"names must be among {POINTS}, got {unknown}")
        self._held: dict[tuple[str, int], Tensor] = {}

    def at(self, layer: int) -> Hook | None:
        """The hook that keeps this layer's tensors; None where nothing of the layer was asked for."""
        if not self.names or (self.layers is not None and layer not in self.layers):
            return None

        def keep(name: str, tensor: Tensor) -> None:
            if name in self.names:
                self._held[name, layer] = tensor.detach()

        return keep

    def get(self, name: str, layer: int) -> Tensor:
        """One captured tensor, detached; its shape is in the module's list of points.

        Raises:
            KeyError: it was not captured; the message says what is held.
        """
        try:
            return self._held[name, layer]
        except KeyError:
            held = sorted(self._held, key=lambda key: (key[1], key[0]))
            raise KeyError(f"no {name!r} of layer {layer} was captured; held are {held}") from None

    def stack(self, name: str) -> Tensor:
        """One point of every captured layer, (layers, ...), from the first layer to the last.

        Raises:
            KeyError: nothing of that name was captured.
        """
        layers = sorted(layer for held, layer in self._held if held == name)
        return torch.stack([self.get(name, layer) for layer in layers or [0]])


class _Chain:
    """Several observers as one: each sees what those before it left."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self.observers = tuple(observers)

    def at(self, layer: int) -> Hook | None:
        hooks = [hook for observer in self.observers if (hook := observer.at(layer)) is not None]
        if len(hooks) < 2:
            return hooks[0] if hooks else None

        def each_in_turn(name: str, tensor: Tensor) -> Tensor:
            for hook in hooks:
                tensor = observe(hook, name, tensor)
            return tensor

        return each_in_turn


def observe(hook: Hook, name: str, tensor: Tensor) -> Tensor:
    """Calls a hook at one point; returns what the model goes on with.

    Raises:
        ValueError: the hook gave back a tensor of another shape.
    """
    replacement = hook(name, tensor)
    if replacement is None:
        return tensor
    if replacement.shape != tensor.shape:
        raise ValueError(
            f"a hook must replace {name!r} by a tensor of shape {tuple(tensor.shape)}, got {tuple(replacement.shape)}"
        )
    return replacement


@torch.no_grad()
def run_with_capture(
    model: Any,
    tokens: Tensor,
    names: Iterable[str] = ("weights",),
    layers: Iterable[int] | None = None,
    edits: Iterable[Observer] = (),
    *,
    mask: Tensor | None = None,
) -> tuple[Tensor, Capture]:
    """One forward pass, and what was asked to be seen of it.

    Args:
        model: a Generator or a Classifier (or anything called the same way).
        tokens: (b, t) token ids.
        names: the points to capture, of `POINTS`.
        layers: the layers to capture, from 0; None for all. The others stay on the fast kernel.
        edits: changes to make on the way, in this order (`former.edits`); what is captured is what they left.
        mask: bool (t, t) to run under; None for the model's own.
    Returns:
        The model's output, and the `Capture` that holds the tensors.
    Raises:
        ValueError: bad tokens or mask, an unknown point, or a layer the model has not.
    """
    capture = Capture(names, layers)
    edits = tuple(edits)
    depth = model.config.depth
    for layer in (*(capture.layers or ()), *(getattr(edit, "layer", 0) for edit in edits)):
        if not 0 <= layer < depth:
            raise ValueError(f"layer must be in [0, {depth}) for this model, got {layer}")
    observer = _Chain((*edits, capture)) if edits else capture
    return model(tokens, mask=mask, capture=observer), capture
