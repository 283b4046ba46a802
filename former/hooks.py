"""Inspects and changes a forward pass without modifying the model.

One model serves many users at once, so no state of a call may be stored on a module: a hook is an argument. The
caller passes an `Observer`; the model asks it for a hook at each layer and calls that hook at each of these points.
In the layer's attention (`POINTS`):

    q, k, v      (b, h, t, s)   queries, keys and values, one for each head, turned by their positions if these are
                                rotary, before any scaling
    scores       (b, h, t, t)   scaled dot products, −∞ where masked
    weights      (b, h, t, t)   softmax of the scores; rows sum to 1
    out          (b, h, t, s)   the weighted average of the values, before `unifyheads`

and in the block around it (`BLOCK_POINTS`):

    resid_pre    (b, t, e)      the input of the block
    resid_mid    (b, t, e)      after the attention was added
    mlp_hidden   (b, t, m)      inside the feed-forward, after its activation; m its hidden size
    mlp_out      (b, t, e)      the output of the feed-forward
    resid_post   (b, t, e)      after the feed-forward was added: the input of the next block

In a post-norm block `resid_mid` and `resid_post` follow the norm; `TransformerBlock` draws both orders. A model with
several stacks puts the stack before the point: `encoder.weights`, `decoder.weights`, `cross.weights` (`STACKS`).

Sizes: b batch, t tokens, e embedding, h heads, s size of one head. The axes of weights are (query, key).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import torch
from torch import Tensor

from former.checks import distinct, is_index, listed

POINTS = ("q", "k", "v", "scores", "weights", "out")
BLOCK_POINTS = ("resid_pre", "resid_mid", "mlp_hidden", "mlp_out", "resid_post")
STACKS = {"encoder": POINTS + BLOCK_POINTS, "decoder": POINTS + BLOCK_POINTS, "cross": POINTS}
ALL_POINTS = frozenset(
    [*POINTS, *BLOCK_POINTS, *(f"{stack}.{point}" for stack, points in STACKS.items() for point in points)]
)

Hook = Callable[[str, Tensor], Tensor | None]
"""hook(point, tensor): returns None to observe, or a tensor of the same shape and dtype to replace it.

A hook with an attribute `points`, a set of names, is called only at these (`at_points` makes one); any other hook is
called at every point. A layer leaves the fast kernel only if its scores or weights are wanted.
"""


class Observer(Protocol):
    """Observes or changes one call of a model: a `Capture`, an `Edit`, a `Chain` of several, or a class of your own."""

    def at(self, layer: int) -> Hook | None:
        """Returns the hook for this layer; None to leave the layer unobserved, so that it stays fast."""
        ...


class Model(Protocol):
    """A model of `former`, its fast twin, or any model with the same calling convention."""

    config: Any  # at least its `depth`

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Maps token ids (b, t), or several inputs, to the output; `observer=` may inspect and change the pass."""
        ...


class at_points:
    """A hook that is called only at the points it names.

    Args:
        points: their names; for an unknown name, ValueError is raised, because the hook would never be called there.
        hook: called at these points.
    """

    def __init__(self, points: Iterable[str], hook: Hook) -> None:
        self.points = distinct("points", [points] if isinstance(points, str) else points)
        check_points(self.points)
        self._hook = hook

    def __call__(self, point: str, tensor: Tensor) -> Tensor | None:
        """Calls the hook at one of its points."""
        return self._hook(point, tensor)


def wants(hook: Hook | None, points: Iterable[str]) -> bool:
    """Returns whether a hook is to be called at any of these points; an `at_points` names its points."""
    return hook is not None and not getattr(hook, "points", ALL_POINTS).isdisjoint(points)


def check_points(names: Iterable[str], known: Iterable[str] = ALL_POINTS) -> None:
    """Raises ValueError unless every name is a known point."""
    known = set(known)
    if unknown := sorted(distinct("names", names) - known, key=str):
        ordered = [*(each for each in (*POINTS, *BLOCK_POINTS) if each in known), *sorted(x for x in known if "." in x)]
        raise ValueError(f"names must be among {ordered}, got {unknown}")


class Capture:
    """Stores tensors of ONE forward call.

    Args:
        names: the points to capture, listed above.
        layers: the layers to capture, from 0; None for all.
        grad: whether tensors stay in the graph, so that gradients can be computed; False detaches them.
    Raises:
        ValueError: an unknown point, or layers that are not a list.
    """

    def __init__(
        self, names: Iterable[str] = ("weights",), layers: Iterable[int] | None = None, *, grad: bool = False
    ) -> None:
        self.names = distinct("names", [names] if isinstance(names, str) else names)
        self.layers = None if layers is None else distinct("layers", layers)
        self.grad = grad
        check_points(self.names)
        self._tensors: dict[tuple[str, int], Tensor] = {}

    def __repr__(self) -> str:
        points = [f"{name!r} of layer {layer} {tuple(self[name, layer].shape)}" for name, layer in self.captured()]
        return f"<Capture: {', '.join(points) or 'nothing yet'}>"

    def at(self, layer: int) -> Hook | None:
        """Returns the hook that stores this layer's tensors; None for a layer that is not captured."""
        if not self.names or (self.layers is not None and layer not in self.layers):
            return None

        def keep(name: str, tensor: Tensor) -> None:
            self._tensors[name, layer] = tensor if self.grad else tensor.detach()

        return at_points(self.names, keep)

    def captured(self) -> list[tuple[str, int]]:
        """Lists what was captured, as (name, layer), layer by layer."""
        return sorted(self._tensors, key=lambda key: (key[1], key[0]))

    def __getitem__(self, key: tuple[str, int]) -> Tensor:
        if not isinstance(key, tuple) or len(key) != 2:
            raise KeyError(f"a key must be a name and a layer, got {key!r}; stack(name) has all layers")
        return self.get(*key)

    def get(self, name: str, layer: int) -> Tensor:
        """Returns a captured tensor, also as `capture[name, layer]`; the module's list of points has the shapes.

        Raises:
            KeyError: it was not captured; the message lists what was.
        """
        try:
            return self._tensors[name, layer]
        except KeyError:
            raise KeyError(f"no {name!r} of layer {layer} was captured, only {self.captured()}") from None

    def stack(self, name: str) -> Tensor:
        """Stacks one point of every captured layer, (layers, ...), from the first layer to the last.

        If the model wrote the layers next to each other, as a fast twin does, the result is a view without a copy.

        Raises:
            KeyError: the point was not captured.
        """
        layers = sorted(layer for point, layer in self._tensors if point == name)
        return _side_by_side([self.get(name, layer) for layer in layers or [0]])


def _side_by_side(tensors: list[Tensor]) -> Tensor:
    """Like torch.stack(tensors), but a view if they are evenly spaced parts of the same memory, without gradients."""
    first = tensors[0]
    starts = [each.storage_offset() for each in tensors]
    step = starts[1] - starts[0] if len(starts) > 1 else 0
    even = step >= 0 and all(
        (each.untyped_storage().data_ptr(), each.requires_grad) == (first.untyped_storage().data_ptr(), False)
        and (each.shape, each.stride(), each.dtype) == (first.shape, first.stride(), first.dtype)
        and start == starts[0] + i * step
        for i, (each, start) in enumerate(zip(tensors, starts, strict=True))
    )
    return first.as_strided((len(tensors), *first.shape), (step, *first.stride())) if even else torch.stack(tensors)


class Chain:
    """Combines several observers: each gets the tensors that those before it returned."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self.observers = tuple(observers)

    def at(self, layer: int) -> Hook | None:
        """Returns a hook that calls the layer's hooks in order."""
        hooks = [hook for observer in self.observers if (hook := observer.at(layer)) is not None]
        if len(hooks) < 2:
            return hooks[0] if hooks else None

        def each_in_turn(name: str, tensor: Tensor) -> Tensor:
            for hook in hooks:
                tensor = observe(hook, name, tensor)
            return tensor

        return at_points(frozenset().union(*(getattr(hook, "points", ALL_POINTS) for hook in hooks)), each_in_turn)


def chain(observers: Iterable[Observer]) -> Observer | None:
    """Combines several observers into one; None without any, so that a model stays on its fast path."""
    observers = tuple(observers)
    return Chain(observers) if len(observers) > 1 else observers[0] if observers else None


class _Scoped:
    """Restricts an observer to one stack of several."""

    def __init__(self, observer: Observer, stack: str) -> None:
        self.observer, self.prefix = observer, f"{stack}."

    def at(self, layer: int) -> Hook | None:
        hook, prefix = self.observer.at(layer), self.prefix
        if hook is None:
            return None
        points = [name.removeprefix(prefix) for name in getattr(hook, "points", ALL_POINTS) if name.startswith(prefix)]
        return at_points(points, lambda point, tensor: hook(f"{prefix}{point}", tensor))


def scoped(observer: Observer | None, stack: str) -> Observer | None:
    """Restricts an observer to one stack: its point "cross.weights" is the point "weights" of the stack "cross".

    Args:
        observer: the whole model's, or None.
        stack: one of `STACKS`.
    """
    return None if observer is None else _Scoped(observer, stack)


def observe(hook: Hook | None, name: str, tensor: Tensor) -> Tensor:
    """Calls a hook at a point, if it wants it; returns the tensor that the model continues with.

    Raises:
        ValueError: the hook returned something else than a tensor of the same shape and dtype.
    """
    if hook is None or name not in getattr(hook, "points", ALL_POINTS):
        return tensor
    replacement = hook(name, tensor)
    if replacement is None:
        return tensor
    given = tuple(replacement.shape) if isinstance(replacement, Tensor) else type(replacement).__name__
    if given != tuple(tensor.shape):
        raise ValueError(f"a hook must replace {name!r} by a tensor of shape {tuple(tensor.shape)}, got {given}")
    if replacement.dtype != tensor.dtype and not torch.is_autocast_enabled(tensor.device.type):
        raise ValueError(f"a hook must replace {name!r} by a tensor of {tensor.dtype}, got {replacement.dtype}")
    return replacement


def inputs_of(model: Model, tokens: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Returns a model's inputs as a tuple: its tokens, or several inputs.

    Raises:
        ValueError: not (source, target), for a model that takes these.
    """
    inputs = tokens if isinstance(tokens, tuple) else (tokens,)
    if "cross.out" in points_of(model) and len(inputs) != 2:
        raise ValueError(f"tokens must be (source, target) for this {type(model).__name__}, got {len(inputs)} of them")
    return inputs


def run_with_capture(
    model: Model,
    tokens: Tensor | tuple[Tensor, ...],
    names: Iterable[str] = ("weights",),
    layers: Iterable[int] | None = None,
    edits: Iterable[Observer] = (),
    *,
    mask: Tensor | None = None,
    grad: bool = False,
) -> tuple[Any, Capture]:
    """Runs one forward pass and captures tensors from it.

    Args:
        model: a model of `former`, or one with the same calling convention.
        tokens: (b, t) token ids; several inputs as a tuple, such as (source, target) for an `EncoderDecoder`.
        names: the points to capture, listed above.
        layers: the layers to capture, from 0; None for all. Layers that are not captured stay on the fast kernel.
        edits: changes to make during the pass, in this order (`former.edits`); tensors are captured after them.
        mask: bool (t, t), True = may attend; None for the model's own.
        grad: whether the output and the tensors keep the graph, to compute gradients; a fast twin has none.
    Returns:
        The model's output, and the `Capture` that holds the tensors.
    Raises:
        ValueError: tokens, a mask, points, layers or edits that do not fit, or grad=True without a graph.
    """
    if not callable(model):
        raise ValueError(f"model must be a model, such as `bundle.model` or `run.model`, got {type(model).__name__}")
    capture = Capture(names, layers, grad=grad)
    observer = chain(checked_edits(model, (*listed("edits", edits), capture)))
    options = {} if mask is None else {"mask": mask}
    with torch.set_grad_enabled(grad):
        output = model(*inputs_of(model, tokens), observer=observer, **options)
    if grad and not (output[0] if isinstance(output, tuple) else output).requires_grad:
        raise ValueError(
            "grad must be False in torch.inference_mode, and for a model that keeps no graph, such as a fast twin or "
            f"one whose parameters need no gradients, got {type(model).__name__}"
        )
    return output, capture


def points_of(model: Model) -> Iterable[str]:
    """Returns the names of the points at which a model calls hooks, such as "weights"."""
    return getattr(model, "points", (*POINTS, *BLOCK_POINTS))


def stream_prefix(model: Model) -> str:
    """Returns the prefix of the points of the residual stream that the output is read from: "decoder." in an
    `EncoderDecoder`, "" in a model of one stack."""
    return "decoder." if "decoder.resid_post" in points_of(model) else ""


def flattened(observers: Iterable[Observer]) -> tuple[Observer, ...]:
    """Returns observers, with those of a `Chain` in its place."""
    return tuple(
        one for each in observers for one in (flattened(each.observers) if isinstance(each, Chain) else [each])
    )


def checked_edits(model: Model, edits: Iterable[Observer]) -> tuple[Observer, ...]:
    """Returns edits as a tuple; raises ValueError if one is not an observer, or does not fit the model."""
    for each in (checked := flattened(listed("edits", edits))):
        if not hasattr(each, "at") or isinstance(each, type) or hasattr(each, "tokenizer"):  # a Bundle has `at`
            raise ValueError(f"edits must be a list of edits, observer one of them or a Capture, got {each!r}")
        if isinstance(each, Capture):
            check_points(each.names, points_of(model))
            check_layers(model, each.layers or ())
            continue
        if point := getattr(each, "point", None):
            check_points([point], points_of(model))
        check_layers(model, [getattr(each, "layer", 0)])
    return checked


def check_layers(model: Model, layers: Iterable[int]) -> None:
    """Raises ValueError unless the model has all these layers."""
    depth = model.config.depth
    for layer in layers:
        if not is_index(layer, depth):
            raise ValueError(f"layer must be in [0, {depth}) for this model, got {layer!r}")
