"""Text generation, token by token: the key/value cache, the window of a growing text, and the loop.

Sizes: t tokens in the window, h heads, s size of one head.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from former.attention import Extend
from former.checks import is_index, is_whole, listed
from former.edits import edits_of_heads
from former.hooks import Capture, Model, Observer, chain, points_of
from former.masks import MASKS
from former.models import Classifier, require_output_layer
from former.sampling import check_rules, next_token_probs, penalise, precise, random_of, require_maximum
from former.sparse import MOST_WEIGHTS, PATTERNS


@runtime_checkable
class Stateful(Protocol):
    """A model that passes a state from one call to the next: `TransformerXL`, `GRUModel`, `ConvModel`."""

    def step(self, tokens: Tensor, state: Any = None, observer: Observer | None = None) -> tuple[Tensor, Any]:
        """Computes logits (b, t, num_tokens) for tokens (b, t) that follow `state`, and the state after them."""
        ...


@dataclass(frozen=True)
class Step:
    """One generated token, with the model's prediction and attention."""

    token: int
    probs: Tensor  # (num_tokens,) next-token probabilities, before all sampling rules
    weights: dict[int, Tensor] = field(default_factory=dict)  # captured layer: (h, t) attention of the newest token
    start: int = 0  # where the window begins in the text: the weights' first key is token `start`


ROWS = 1024  # tokens that a cache has room for at first


class KeyValueCache:
    """The keys and values of the tokens so far.

    With a cache, only the new token is computed: its query attends to the stored keys. A cache belongs to one window of
    one generation. No row is overwritten: tensors captured from it stay as they are. At first it has room for `ROWS`
    tokens; whenever it is full, the room is doubled, up to the context. No gradient flows into the tokens stored by
    earlier calls.

    Args:
        config: the model's.
        like: one of the model's tensors, for its dtype and device; None for float32 on the CPU.
        batch: number of sequences, all of one length.
    """

    def __init__(self, config: Any, like: Tensor | None = None, batch: int = 1) -> None:
        like = torch.empty(0, dtype=torch.float32) if like is None else like.detach()
        self.most = config.seq_length
        shape = (config.depth, batch, config.key_heads, min(self.most, ROWS), config.head_size)
        with torch.inference_mode(False):  # else the cache could not be written outside it
            self.keys = like.new_empty(shape)  # (depth, b, kv_heads, rows, s)
            self.values = like.new_empty(shape)
        self.length = 0  # tokens stored; the model increases it after the last layer

    @property
    def nbytes(self) -> int:
        """Bytes of the stored keys and values, without the room that is still free."""
        return 2 * self.keys[:, :, :, : self.length].nbytes

    def at(self, layer: int) -> Extend:
        """Returns a layer's function extend(k, v): it stores new keys and values, and returns all stored ones.

        Raises:
            ValueError: when it is called, with another number of sequences, or more tokens than the context.
        """

        def extend(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            end = self.length + k.shape[2]
            if k.shape[0] != self.keys.shape[1] or end > self.most:
                batch = self.keys.shape[1]
                raise ValueError(
                    f"tokens must be {'one sequence' if batch == 1 else f'{batch} sequences'}, of at most "
                    f"{self.most} with those in the cache, got {k.shape[0]} of {end}"
                )
            self.reserve(end)
            self.keys[layer, :, :, self.length : end] = k.detach()
            self.values[layer, :, :, self.length : end] = v.detach()
            if torch.is_grad_enabled():
                stored = self.keys[layer, :, :, : self.length], self.values[layer, :, :, : self.length]
                return torch.cat((stored[0], k), 2), torch.cat((stored[1], v), 2)
            return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]

        return extend

    def reserve(self, end: int) -> None:
        """Makes room for `end` tokens, at most the context."""
        if end > self.keys.shape[3]:
            rows = min(self.most, max(end, 2 * self.keys.shape[3]))
            self.keys, self.values = (self._copied(each, rows) for each in (self.keys, self.values))

    def of(self, sequences: Sequence[int]) -> KeyValueCache:
        """Returns a new cache with some of this cache's sequences, given by their indices, which may repeat."""
        new, rows = copy.copy(self), self.keys.shape[3]
        new.keys, new.values = (self._copied(each, rows, sequences) for each in (self.keys, self.values))
        return new

    def _copied(self, stored: Tensor, rows: int, sequences: Sequence[int] | None = None) -> Tensor:
        cached = stored[:, :, :, : self.length]
        cached = cached if sequences is None else cached[:, sequences]
        with torch.inference_mode(False):  # as in `__init__`
            new = cached.new_empty(*cached.shape[:3], rows, cached.shape[4])
        new[:, :, :, : self.length] = cached
        return new


class Window:
    """The part of a growing text that the model reads.

    It slides in jumps: when it is full, its older half is dropped and the newer half is read again from position 0.
    Positions are absolute, so sliding by one token would change every key and cost a whole forward pass for each token;
    a jump costs one pass over half the context, and then there is room for as many new tokens.

    Without a causal mask, each new token changes the vectors of all earlier ones. So there is nothing to cache, jumps
    would save nothing, and the window slides by one token.

    Args:
        model: a Generator, or its fast twin.
        prompt: number of tokens in the prompt; if more than the context, the last ones are read.
        use_cache: whether keys and values are stored between reads.
        edits: changes to make in every read (`former.edits`).
    """

    def __init__(self, model: Any, prompt: int, use_cache: bool = True, edits: Sequence[Observer] = ()) -> None:
        context, causal = model.config.seq_length, MASKS[model.config.mask].causal
        self.start = self._first = max(0, prompt - context)  # index in the text, now and at first
        self._jump = context - max(1, context // 2) + 1 if causal else 1
        self._model, self._edits = model, edits
        self._like = next(model.parameters())
        self.cache = KeyValueCache(model.config, self._like) if use_cache and causal else None

    def read(self, ids: Sequence[int], capture: Capture | None = None) -> Tensor:
        """Computes logits (num_tokens,) for the token after the text so far; call it in `torch.inference_mode`.

        Args:
            ids: the whole text; tokens already in the cache are not computed again.
            capture: captures the attention of the new tokens; if there are more than `MOST_WEIGHTS`, whose maps would
                be too large, only the attention of the last token.
        """
        over = len(ids) - self._first - self._model.config.seq_length
        start = self._first + self._jump * max(0, math.ceil(over / self._jump))
        if start != self.start:
            self.start = start
            if self.cache is not None:  # a new cache, so that tensors captured from the old window stay unchanged
                self.cache = KeyValueCache(self._model.config, self._like)
        new = ids[self.start + (0 if self.cache is None else self.cache.length) :]
        tokens = torch.tensor([new], device=self._like.device)
        if capture is not None and self.cache is not None and len(new) > MOST_WEIGHTS:
            self._model(tokens[:, :-1], observer=chain(self._edits), cache=self.cache)
            tokens = tokens[:, -1:]
        return self._model(tokens, observer=_observer(self._edits, capture), cache=self.cache)[0, -1]


class Stream:
    """A growing text that a model with a state reads segment by segment (`TransformerXL`, `GRUModel`).

    The state, such as Transformer-XL's memory, represents everything read before, so no window slides. A memory
    consists of whole segments, as in training: the newest segment is read again until it is full, so that the next
    token depends on the text alone, and not on how much of it was the prompt.

    Args:
        model: a `Stateful` model.
        use_cache: False reads everything again for each token, in the same segments.
        edits: changes to make in every read (`former.edits`).
    """

    cache = None  # of keys and values: a state replaces it

    def __init__(self, model: Any, use_cache: bool = True, edits: Sequence[Observer] = ()) -> None:
        self.start = 0  # index in the text of the first token that the newest one can attend to
        self._model, self._use_cache, self._edits = model, use_cache, edits
        self._state: Any = None
        self._read = 0  # number of tokens that the state covers

    def read(self, ids: Sequence[int], capture: Capture | None = None) -> Tensor:
        """Computes logits (num_tokens,) for the token after the text so far, as `Window.read` does."""
        config, device = self._model.config, next(self._model.parameters()).device
        memory = getattr(config, "memory_length", None)
        if not self._use_cache:
            self._state, self._read = None, 0
        logits = torch.empty(0)
        for begin in range(self._read, len(ids), config.seq_length):
            piece = ids[begin : begin + config.seq_length]
            tokens = torch.tensor([piece], device=device)
            logits, state = self._model.step(tokens, self._state, _observer(self._edits, capture))
            if memory is None or begin + config.seq_length < len(ids):
                self._state, self._read = state, begin + len(piece)
            self.start = 0 if memory is None else max(0, begin - memory)
        return logits[0, -1]


def _observer(edits: Sequence[Observer], capture: Capture | None) -> Observer | None:
    """Combines a read's edits and capture; None without any."""
    return chain(edits if capture is None else (*edits, capture))


def window_for(model: Model, prompt: int, use_cache: bool = True, edits: Sequence[Observer] = ()) -> Window | Stream:
    """Chooses the window for a model of this kind and a prompt of `prompt` tokens.

    Raises:
        ValueError: the model does not predict the next token.
    """
    require_output_layer(model)
    if isinstance(model, Stateful):
        return Stream(model, use_cache, edits)
    if getattr(model.config, "mask", None) is None or isinstance(model, Classifier) or not callable(model):
        raise ValueError(
            f"model must give a logit for each next token, got {type(model).__name__}; "
            "of a Bundle pass its model; an EncoderDecoder writes with former.translate"
        )
    return Window(model, prompt, use_cache, edits)


def generate(
    model: Model,
    prompt_ids: Sequence[int] | Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
    capture: bool | Iterable[int] | None = None,
    *,
    use_cache: bool = True,
    edits: Iterable[Observer] = (),
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
) -> Iterator[Step]:
    """Continues a prompt, one `Step` at a time (article, "Text generation transformer").

    Beyond the context the window slides in jumps (`Window`): the model then sees between half of its context (rounded
    down, at least one token) and all of it. For a model without a causal mask there is no cache, and the window slides
    by one token. A model with a state has no window (`Stream`).

    Args:
        model: a Generator, its fast twin (`former.cpu`), or another model that predicts the next token.
        prompt_ids: at least one token id; of a prompt longer than the context, only the last `seq_length` are read,
            except by a model with a state.
        max_new_tokens: number of tokens to write, at least 0.
        temperature: at least 0; 0 always takes the most likely token.
        top_k: sample from the k most likely tokens only; None for all.
        top_p: sample from the fewest tokens whose probabilities sum to at least this, in (0, 1]; None for all.
        seed: for this call's own random generator, in [-2^63, 2^64); None for a fresh one. The same seed gives the same
            text, with or without cache and capture.
        capture: layers whose attention rows to yield; True for all.
        use_cache: False reads the whole window again for every token: slow, a reference to test the cache.
        edits: changes to make in every step (`former.edits`), only of whole heads: in a sliding window the position of
            a given token changes from step to step.
        min_p: sample only from tokens at least this many times as likely as the most likely one, in [0, 1]; None for
            all.
        repetition_penalty: makes tokens that already occur in the prompt or the new text less likely, before all other
            rules (`former.sampling.penalise`); 1 for no penalty.
    Yields:
        A `Step` for each token, as soon as it is drawn.
    Raises:
        ValueError: at the call, an argument out of range, a model that does not predict the next token, or an edit that
            does not fit; at a token, a prediction that is not a number, as after an overflow, or an edit of the weights
            of more than `MOST_WEIGHTS` tokens under a sparse mask.
    """
    check_rules(temperature, top_k, top_p, min_p, repetition_penalty)
    require_output_layer(model)
    config = model.config
    ids = check_ids(prompt_ids, config.num_tokens)
    if not is_whole(max_new_tokens) or max_new_tokens < 0:
        raise ValueError(f"max_new_tokens must be a whole number of at least 0, got {max_new_tokens!r}")
    edits = edits_of_heads(model, edits)
    window = window_for(model, len(ids), use_cache, edits)
    layers = _layers(capture, config.depth)
    if layers:
        if "weights" not in points_of(model):
            raise ValueError(f"capture must be None for a model without attention, got {type(model).__name__}")
        most = min(config.seq_length, len(ids) + max_new_tokens)
        if not use_cache and most > MOST_WEIGHTS and getattr(config, "mask", None) in PATTERNS:
            raise ValueError(
                f"use_cache must be True to capture the weights of more than {MOST_WEIGHTS} tokens under the "
                f"{config.mask!r} mask, got False and up to {most}"
            )
    rules = (temperature, top_k, top_p, min_p)
    return _steps(window, ids, max_new_tokens, rules, repetition_penalty, random_of(seed), layers)


@torch.inference_mode()
def _steps(
    window: Window | Stream,
    ids: list[int],
    max_new_tokens: int,
    rules: tuple[float, int | None, float | None, float | None],
    penalty: float,
    rng: torch.Generator,
    layers: frozenset[int],
) -> Iterator[Step]:
    for _ in range(max_new_tokens):
        capture = Capture(layers=layers) if layers else None
        logits = precise(window.read(ids, capture).cpu())
        ruled = logits if penalty == 1 else penalise(logits, ids, penalty)
        if rules[0] == 0:  # the distribution would be a 1 and zeros
            require_maximum(ruled)
            token = int(ruled.argmax())
        else:
            token = int(torch.multinomial(next_token_probs(ruled, *rules), 1, generator=rng))
        # Copies of the last rows: views would keep the whole maps.
        rows = {layer: capture.get("weights", layer)[0, :, -1].clone() for layer in sorted(layers)} if capture else {}
        yield Step(token, logits.softmax(-1), rows, window.start)
        ids.append(token)


def check_ids(ids: Sequence[int] | Tensor, num_tokens: int, name: str = "prompt_ids") -> list[int]:
    """Returns token ids as a list; `name` is the argument's name in errors.

    Raises:
        ValueError: there is no id, or one outside the vocabulary.
    """
    values = ids.tolist() if isinstance(ids, Tensor) else ids
    values = list(values) if isinstance(values, Iterable) else [values]
    if not values:
        raise ValueError(f"{name} must hold at least one token, got none")
    for i in values:
        if not is_whole(i):
            raise ValueError(f"{name} must be whole numbers, one a token (t,), got {i!r} among them")
    if not all(0 <= i < num_tokens for i in values):
        raise ValueError(f"{name} must be in [0, {num_tokens}), got {min(values)} to {max(values)}")
    return [int(i) for i in values]


def _layers(capture: bool | Iterable[int] | None, depth: int) -> frozenset[int]:
    if capture is None or capture is False:
        return frozenset()
    if isinstance(capture, Capture):
        raise ValueError("capture must be True or layers: each step has its own capture and yields its weights")
    layers = range(depth) if capture is True else listed("capture", capture)
    if not all(is_index(layer, depth) for layer in layers):
        raise ValueError(f"capture must name layers in [0, {depth}), got {list(layers)}")
    return frozenset(layers)
