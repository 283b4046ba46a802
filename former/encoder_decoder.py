"""The encoder-decoder: one stack reads a whole text, another writes the answer token by token (Vaswani et al. 2017).

The encoder is the article's stack, without a mask. Each block of the decoder attends to the answer so far, by masked
self-attention, and to the encoder's output for the source, the memory, by cross-attention. In training the decoder's
input is the correct answer and its target each next token (teacher forcing); in use its input is its own answer.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from former import masks
from former.attention import KeysValues
from former.blocks import DecoderBlock
from former.checks import is_whole, require_instance
from former.config import SequenceConfig
from former.generate import KeyValueCache
from former.hooks import STACKS, Observer, scoped
from former.observable import observable
from former.sampling import next_token_probs, random_of
from former.stack import Cache, last_norm, make_stack, not_padding, require_no_recompute


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig(SequenceConfig):
    """The shape of an `EncoderDecoder`: two stacks, each of `depth` blocks, with one vocabulary.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.parallel:
            raise ValueError("parallel must be False in an EncoderDecoder, whose cross-attention reads the attention")


class EncoderDecoder(nn.Module):
    """Maps a source and a target to a logit for each next token of the target.

    Args:
        config: the model's shape.
    """

    points = frozenset(f"{stack}.{point}" for stack, known in STACKS.items() for point in known)

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        require_instance("config", config, EncoderDecoderConfig)
        self.config = config
        self.encoder = make_stack(config)
        self.encoder_norm = last_norm(config)
        self.decoder = make_stack(config, DecoderBlock)
        self.norm = last_norm(config)
        self.toprobs = nn.Linear(config.emb, config.num_tokens)

    @observable
    def forward(
        self,
        source: Tensor,
        target: Tensor,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Computes logits for the token after each position of the target.

        Args:
            source: (b, t_source) token ids, padded if the config has a `pad_token`.
            target: (b, t) token ids.
            mask: bool (t, t), for the decoder's self-attention, True = may attend; None for the causal mask.
            observer: observes, and may replace, the tensors that `former.hooks` lists, in each of its `STACKS`.
            recompute: whether to recompute each block in the backward pass instead of storing its activations.
        Returns:
            logits (b, t, num_tokens).
        Raises:
            ValueError: tokens or a mask that do not fit, a source of padding only, or batches of different sizes.
        """
        real = self.real(source)
        self.decoder.check(target, name="target")
        if len(source) != len(target):
            raise ValueError(f"source and target must be batches of one size, got {len(source)} and {len(target)}")
        memory = self.encode(source, observer, recompute=recompute)
        return self.decode(target, memory, real, mask=mask, observer=observer, recompute=recompute)

    @observable
    def encode(self, source: Tensor, observer: Observer | None = None, *, recompute: bool = False) -> Tensor:
        """Computes the memory of a source: (b, t_source) → (b, t_source, e)."""
        real = self.real(source)
        mask = None if real is None else masks.without_padding(real)
        x = self.encoder.embed(source)  # (b, t_source, e)
        return self.encoder_norm(self.encoder(x, mask, scoped(observer, "encoder"), recompute=recompute))

    @observable
    def decode(
        self,
        target: Tensor,
        memory: Tensor | Sequence[KeysValues],
        real: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        cache: Cache | None = None,
        recompute: bool = False,
    ) -> Tensor:
        """Computes logits for the token after each position of the target.

        Args:
            target: (b, t) token ids.
            memory: (b, t_source, e), as `encode` returns it; or each layer's keys and values (`keys_and_values`).
            real: bool (b, t_source), True where the source is not padding (method `real`); None without padding.
            mask, observer, recompute: as in `forward`.
            cache: keys and values of `past` earlier target tokens, before these; the new ones are added to it.
        Returns:
            logits (b, t, num_tokens).
        Raises:
            ValueError: tokens, memory or a mask that do not fit, or `recompute` with a cache.
        """
        past = 0 if cache is None else cache.length
        require_no_recompute(cache, recompute)
        self.decoder.check(target, past, "target")
        if not isinstance(memory, Tensor) and len(memory) != self.config.depth:
            raise ValueError(
                f"memory must hold keys and values for each of {self.config.depth} layers, got {len(memory)} of them"
            )
        if mask is None:
            mask = masks.named("causal", target.shape[1], past=past, device=target.device)
        own, cross = scoped(observer, "decoder"), scoped(observer, "cross")
        options = [
            {
                "memory": memory if isinstance(memory, Tensor) else memory[layer],
                "memory_mask": None if real is None else real[:, None, None, :],
                "memory_hook": None if cross is None else cross.at(layer),
            }
            for layer in range(self.config.depth)
        ]
        x = self.decoder.embed(target, past)  # (b, t, e)
        return self.unembed(self.decoder(x, mask, own, cache, recompute, options=options))

    def keys_and_values(self, memory: Tensor) -> list[KeysValues]:
        """Computes each layer's cross-attention keys and values from the memory (b, t_source, e), once for a whole
        answer."""
        blocks = cast(Iterable[DecoderBlock], self.decoder.blocks)
        return [block.cross.keys_and_values(memory) for block in blocks]

    def unembed(self, x: Tensor) -> Tensor:
        """Maps the decoder's residual stream to logits: (b, t, e) → (b, t, num_tokens)."""
        return self.toprobs(self.norm(x))

    def real(self, source: Tensor) -> Tensor | None:
        """Returns where source tokens are not padding, bool (b, t_source); None for a model that does not pad.

        Raises:
            ValueError: tokens that this model cannot read, or a source of padding only.
        """
        self.encoder.check(source, name="source")
        if self.config.pad_token is None:
            return None
        return not_padding(source, self.config.pad_token, self.training, "source")


@torch.inference_mode()
def write(
    model: EncoderDecoder,
    source: Tensor,
    begin: int,
    end: int,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
    max_new_tokens: int | None = None,
) -> list[list[int]]:
    """Writes an answer to each source, token by token, until its end token.

    Args:
        model: in evaluation mode.
        source: (b, t_source) token ids, padded if the config has a `pad_token`.
        begin, end: the tokens before and after every answer; neither is returned.
        temperature, top_k, top_p: sampling rules of `next_token_probs`; temperature 0 takes the most likely token.
        seed: for this call's own random generator, in [-2^63, 2^64); None for a fresh one.
        max_new_tokens: the most tokens of an answer, at least 1; None for as many as the model was built for.
    Returns:
        The token ids of each answer.
    Raises:
        ValueError: an argument out of range.
    """
    limit = model.config.seq_length if max_new_tokens is None else max_new_tokens
    if not is_whole(limit) or not 1 <= limit <= model.config.seq_length:
        raise ValueError(f"max_new_tokens must be in [1, {model.config.seq_length}], or None, got {limit!r}")
    random = random_of(seed)
    real, memory = model.real(source), model.keys_and_values(model.encode(source))
    cache = KeyValueCache(model.config, model.toprobs.weight, batch=len(source))
    newest = source.new_full((len(source), 1), begin)
    written = newest.cpu()  # (b, t)
    while written.shape[1] <= limit and not (written == end).any(-1).all():
        logits = model.decode(newest, memory, real, cache=cache)[:, -1].cpu()
        probs = torch.stack([next_token_probs(each, temperature, top_k, top_p) for each in logits])
        newest = torch.multinomial(probs, 1, generator=random).to(source.device)
        written = torch.cat((written, newest.cpu()), dim=1)
    answers = (row[1:] for row in written.tolist())
    return [answer[: answer.index(end)] if end in answer else answer for answer in answers]


def translate(
    bundle: Any,
    text: str,
    temperature: float = 0.0,
    seed: int | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    max_new_tokens: int | None = None,
) -> str:
    """Answers a text with an EncoderDecoder, for example translates it.

    Args:
        bundle: with an EncoderDecoder, and a tokenizer that has tokens to begin and end an answer.
        text: the source.
        temperature, seed, top_k, top_p, max_new_tokens: as in `write`.
    Raises:
        ValueError: another kind of model, a text that is empty or longer than it can read, or an argument out of range.
    """
    if not isinstance(model := getattr(bundle, "model", None), EncoderDecoder):
        got = f"a bare {type(bundle).__name__}" if model is None else type(model).__name__
        raise ValueError(f"bundle must hold an EncoderDecoder, got {got}")
    tokenizer, ids = bundle.tokenizer, bundle.tokenizer.encode(text)
    if not text.strip():  # a tokenizer may put a token before it
        raise ValueError(f"text must hold at least one token, got {text!r}")
    source = torch.tensor([ids], dtype=torch.long, device=bundle.model.toprobs.weight.device)
    rules = (temperature, top_k, top_p, seed, max_new_tokens)
    return tokenizer.decode(write(bundle.model, source, tokenizer.begin, tokenizer.end, *rules)[0])
