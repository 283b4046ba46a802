"""A text in another order: requests to tab Word order, and the same in plain torch, in float64."""

import math
from typing import Any

import torch
import torch.nn.functional as F

from tests.encodings import encodings
from tests.viz.conftest import WORDS
from viz.panels import Panel
from viz.passes.loaded import Loaded
from viz.tabs.permute import permuting
from viz.tabs.permute.panels import EQUIVARIANCE

TEXT = "not good, but the film was great."
IDS = [WORDS.index(word) for word in ("not", "good", ",", "but", "the", "film", "was", "great", ".")]
ORDER = [3, 0, 2, 1, 8, 4, 7, 5, 6]
ASKED: dict[str, Any] = {
    "text": TEXT,
    "order": "3.0.2.1.8.4.7.5.6",
    "positions": "none",
    "mask": "none",
    "output": "block",
}


def ask(subject: permuting.Subject | None, panel: Panel = EQUIVARIANCE, /, **changes: Any) -> dict[str, Any]:
    """Returns the answer to a panel's request."""
    models = {loaded.name: loaded for loaded in subject.classifiers} if subject else {}
    (question,) = panel.questions.values()
    return question.answer(models, {**ASKED, **changes})


def measured(subject: permuting.Subject, **changes: Any) -> list[dict[str, Any]]:
    """Returns for each output its error, its size, the limit of rounding, and the error without positions and mask."""
    answer = ask(subject, **changes)
    plain = answer["plain"] or [None] * len(answer["outputs"])
    columns = answer["outputs"], answer["errors"], answer["sizes"], answer["limits"], plain
    return [
        {"name": name, "error": error, "size": size, "limit": limit, "plain": before}
        for name, error, size, limit, before in zip(*columns, strict=True)
    ]


def state_of(loaded: Loaded) -> dict[str, torch.Tensor]:
    return {name: tensor.double() for name, tensor in loaded.bundle.model.state_dict().items()}


def vectors_of(state, ids, kind) -> torch.Tensor:
    """Returns word vectors and the position vectors added to them, from the formulas, in float64."""
    x = state["transformer.token_embedding.weight"][ids]
    t, e = x.shape
    if kind == "learned":
        return x + state["transformer.positions.embedding.weight"][:t]
    if kind == "sinusoidal":
        return x + encodings(t, e)
    return x


def plainly(state, ids, kind, causal) -> dict[str, torch.Tensor]:
    """Computes the tab's four outputs explicitly; "rows" are those of the last block."""
    x = vectors_of(state, ids, kind)
    t, e = x.shape
    hidden = torch.full((t, t), -math.inf).triu(1) if causal else torch.zeros(t, t)
    basic = (x @ x.T + hidden.double()).softmax(-1) @ x
    first = {}
    for layer in range(2):
        b = {
            name.removeprefix(f"transformer.blocks.{layer}."): tensor
            for name, tensor in state.items()
            if name.startswith(f"transformer.blocks.{layer}.")
        }
        y = F.layer_norm(x, (e,), b["norm1.weight"], b["norm1.bias"])
        q, k, v = (y @ b[f"attention.{name}.weight"].T for name in ("toqueries", "tokeys", "tovalues"))
        heads = []
        for part in (slice(8 * head, 8 * head + 8) for head in range(4)):
            weights = (q[:, part] @ k[:, part].T / math.sqrt(8) + hidden.double()).softmax(-1)
            heads.append(weights @ v[:, part])
        attended = torch.cat(heads, 1) @ b["attention.unifyheads.weight"].T + b["attention.unifyheads.bias"]
        x = x + attended
        y = F.layer_norm(x, (e,), b["norm2.weight"], b["norm2.bias"])
        y = (y @ b["ff.0.weight"].T + b["ff.0.bias"]).clamp_min(0)
        x = x + y @ b["ff.2.weight"].T + b["ff.2.bias"]
        if layer == 0:
            first = {"layer": attended, "block": x}
    rows = F.layer_norm(x, (e,), state["norm.weight"], state["norm.bias"])
    logits = rows.mean(0) @ state["toprobs.weight"].T + state["toprobs.bias"]
    return {"basic": basic, **first, "rows": rows, "classifier": logits.log_softmax(-1)}


def both(loaded, kind="none", causal=False) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Returns f(x) and f(Px)."""
    state = state_of(loaded)
    return plainly(state, IDS, kind, causal), plainly(state, [IDS[i] for i in ORDER], kind, causal)
