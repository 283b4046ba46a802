"""The shipped models recomputed from the files of weights, without `former` or the app.

Everything is in float64. Sizes: t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from tests.encodings import encodings
from tests.ranked import clear_draw

CHECKPOINTS = Path(__file__).resolve().parents[2] / "checkpoints"
ROUNDING = 1e-4  # ten times what the app's probabilities differ from these, relatively


@dataclass(frozen=True)
class Run:
    """The values of one text in a model."""

    weights: list[Tensor]  # of each layer, (h, t, t)
    scores: list[Tensor]  # before the softmax, without the mask
    values: list[Tensor]  # of each layer, (h, t, s)
    out: Tensor  # logits: (t, tokens) of a generator, (classes,) of a classifier


class Reference:
    """A model read from its folder.

    Args:
        name: of the shipped model.
    """

    def __init__(self, name: str) -> None:
        folder = CHECKPOINTS / name
        self.card: dict[str, Any] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        self.config = self.card["config"]
        parts = [load_file(path) for path in sorted(folder.glob("*.safetensors"))]
        tensors = {key: tensor.float() for part in parts for key, tensor in part.items()}
        scales = {key: tensors.pop(key) for key in [*tensors] if key.endswith(".scale")}  # of matrices in 8 bits
        self.tensors = {
            key.replace("transformer.norm.", "norm."): (tensor * scales.get(f"{key}.scale", 1)).double()
            for key, tensor in tensors.items()
        }  # its older name
        self.classifies = self.card["kind"] == "Classifier"

    def linear(self, name: str, x: Tensor) -> Tensor:
        y = x @ self.tensors[f"{name}.weight"].T
        return y + self.tensors[f"{name}.bias"] if f"{name}.bias" in self.tensors else y

    def norm(self, name: str, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        normed = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return normed * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def positions(self, t: int) -> Tensor | float:
        e = self.config["emb"]
        if self.config["positions"] == "learned":
            return self.tensors["transformer.positions.embedding.weight"][:t]
        if self.config["positions"] == "none":
            return 0.0
        return encodings(t, e)

    def attention(self, name: str, x: Tensor, factors: Tensor, seen: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Returns the attention's output, weights, scores and values; factors (h,) multiply each head's
        contribution."""
        t, h = len(x), self.config["heads"]
        q, k, v = (
            self.linear(f"{name}.{to}", x).view(t, h, -1).transpose(0, 1) for to in ("toqueries", "tokeys", "tovalues")
        )
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~seen, -math.inf).softmax(-1)
        out = (weights @ v) * factors[:, None, None]
        return self.linear(f"{name}.unifyheads", out.transpose(0, 1).reshape(t, -1)), weights, scores, v

    def feed_forward(self, name: str, x: Tensor) -> Tensor:
        hidden = self.linear(f"{name}.0", x)
        if self.config["activation"] == "gelu":
            hidden = hidden * (1 + torch.erf(hidden / math.sqrt(2))) / 2
        else:
            hidden = hidden.clamp(min=0)
        return self.linear(f"{name}.2", hidden)

    def seen(self, t: int) -> Tensor:
        """Returns the mask that the model was trained with: bool (t, t)."""
        causal = not self.classifies and self.card.get("recipe", {}).get("masked", True)
        return torch.ones(t, t).tril().bool() if causal else torch.ones(t, t).bool()

    def run(
        self, ids: list[int], factors: dict[tuple[int, int], float] | None = None, seen: Tensor | None = None
    ) -> Run:
        """Runs a whole pass; factors {(layer, head): number} multiply those heads' contributions (0 ablates a head).
        seen is the mask, bool (t, t), if not the one used in training."""
        seen = self.seen(len(ids)) if seen is None else seen
        x = self.tensors["transformer.token_embedding.weight"][ids] + self.positions(len(ids))
        weights, scores, values = [], [], []
        for layer in range(self.config["depth"]):
            block = f"transformer.blocks.{layer}"
            own = torch.tensor(
                [(factors or {}).get((layer, head), 1.0) for head in range(self.config["heads"])]
            ).double()
            if self.config["norm"] == "pre":
                out, w, s, v = self.attention(f"{block}.attention", self.norm(f"{block}.norm1", x), own, seen)
                x = x + out
                x = x + self.feed_forward(f"{block}.ff", self.norm(f"{block}.norm2", x))
            else:
                out, w, s, v = self.attention(f"{block}.attention", x, own, seen)
                x = self.norm(f"{block}.norm1", x + out)
                x = self.norm(f"{block}.norm2", x + self.feed_forward(f"{block}.ff", x))
            weights.append(w)
            scores.append(s)
            values.append(v)
        if self.config["norm"] == "pre":
            x = self.norm("norm", x)
        if self.classifies:
            x = x.amax(0) if self.config["pooling"] == "max" else x.mean(0)
        return Run(weights, scores, values, self.linear("toprobs", x))

    def ids(self, text: str) -> list[int]:
        """Tokenises a text: bytes, or lower-case words separated by spaces."""
        if self.card["tokenizer"]["kind"] == "bytes":
            return list(text.encode())
        known = {word: i for i, word in enumerate(self.card["tokenizer"]["words"])}
        return [known.get(word, 1) for word in text.split()]

    def surprise(self, ids: list[int], factors: dict[tuple[int, int], float] | None = None) -> Tensor:
        """Returns the bits of each token after the first, (t - 1,)."""
        log_probs = self.run(ids, factors).out[:-1].log_softmax(-1)
        return -log_probs[torch.arange(len(ids) - 1), ids[1:]] / math.log(2)

    def write(self, ids: list[int], length: int, temperature: float, top_k: int, top_p: float, seed: int) -> list[int]:
        """Returns the tokens that the app's sampling rules and random numbers give, each from a pass over the whole
        text, and asserts that rounding decides none of them."""
        ids = list(ids)
        for _ in range(length):
            logits = self.run(ids).out[-1]
            mixed = hashlib.blake2b(f"{seed}:{len(ids)}".encode(), digest_size=8).digest()
            dice = torch.Generator().manual_seed(int.from_bytes(mixed, "little"))
            ids.append(clear_draw(rule(logits, temperature, top_k, top_p).float(), dice, ROUNDING))
        return ids[-length:]


def rule(logits: Tensor, temperature: float, top_k: int = 0, top_p: float = 1.0) -> Tensor:
    """Returns the distribution after temperature, then top-k, then top-p."""
    if temperature == 0:
        return (torch.arange(len(logits)) == logits.argmax()).double()
    probs = (logits / temperature).softmax(-1)
    if top_k:
        *_, last, next_ = probs.sort(descending=True).values[: top_k + 1].tolist()
        assert last > next_ * (1 + ROUNDING), "rounding decides which token is the last"
        probs = probs * (probs >= last)
        probs = probs / probs.sum()
    if top_p < 1:
        ordered, order = probs.sort(descending=True)
        before = ordered.cumsum(0) - ordered
        assert float((before - top_p).abs().min()) > ROUNDING, "rounding decides which token is the last"
        remaining = order[before < top_p]
        probs = torch.zeros_like(probs).index_copy(0, remaining, probs[remaining])
    return probs / probs.sum()


def statistics(weights: Tensor, ids: list[int]) -> dict[str, float]:
    """Computes the statistics of a head's map (t, t) from their definitions."""
    t = len(weights)
    rows = range(t)
    bits = [sum(-p * math.log2(p) for p in row if p > 0) for row in weights.tolist()]
    return {
        "entropy": sum(bits) / t,
        "distance": sum(float(weights[i, j]) * abs(i - j) for i in rows for j in rows) / t,
        "previous": sum(float(weights[i, i - 1]) for i in rows if i) / max(1, t - 1),
        "next": sum(float(weights[i, i + 1]) for i in rows[:-1]) / max(1, t - 1),
        "first": sum(float(weights[i, 0]) for i in rows) / t,
        "self": sum(float(weights[i, i]) for i in rows) / t,
        "same": over_those_that_can(weights, [[j for j in range(i) if ids[j] == ids[i]] for i in rows]),
        "copying": over_those_that_can(weights, [[j + 1 for j in range(i - 1) if ids[j] == ids[i]] for i in rows]),
        "elsewhere": over_those_that_can(weights, [[j for j in rows if j != i and ids[j] == ids[i]] for i in rows]),
        "last": sum(float(weights[i, t - 1]) for i in rows) / t,
        "offset": max(offsets(weights).values(), default=0.0),
    }


def offsets(weights: Tensor) -> dict[int, float]:
    """The share of each fixed distance of 2 to 8 tokens, back or ahead, that half of the queries can have."""
    t = len(weights)
    places = {by: [(i, i + by) for i in range(t) if 0 <= i + by < t] for by in range(-8, 9) if 2 <= abs(by) <= t / 2}
    return {by: sum(float(weights[at]) for at in pairs) / len(pairs) for by, pairs in places.items()}


def over_those_that_can(weights: Tensor, keys: list[list[int]]) -> float:
    """Averages each query's weight on its own list of keys over the queries that have such keys."""
    masses = [sum(float(row[key]) for key in own) for row, own in zip(weights, keys, strict=True) if own]
    return sum(masses) / max(1, len(masses))


def rollout(weights: list[Tensor]) -> Tensor:
    """Computes rollout: in each layer, half the identity plus half the mean of the heads' maps."""
    result = torch.eye(weights[0].shape[-1]).double()
    for layer in weights:
        result = (layer.mean(0) + torch.eye(len(result)).double()) / 2 @ result
    return result
