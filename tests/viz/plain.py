"""The generator and the classifier in plain torch, computed from a state dict alone, to compare the app's numbers with.

For pre-norm blocks in the narrow variant with learned positions, as the shipped models have. Without former or viz.
"""

import math

import torch
import torch.nn.functional as F


def run(state, ids, *, heads, causal, gelu, removed=(), scaled=None, seen=None, raw=None):
    """Maps ids (t,) to the stack's output (t, e) and the weights [layer][head] (t, t).

    removed: (layer, head) pairs whose output is left out. scaled: {(layer, head): factor}. seen: bool (t, t), instead
    of the causal mask or none. raw: a dict that takes up the scores before any mask, by (layer, head).
    """
    w = {name.removeprefix("transformer."): tensor for name, tensor in state.items()}
    t = len(ids)
    x = w["token_embedding.weight"][ids] + w["positions.embedding.weight"][:t]
    e = x.shape[1]
    size = e // heads
    maps = []
    for layer in range(1 + max(int(name.split(".")[1]) for name in w if name.startswith("blocks."))):
        b = {name.removeprefix(f"blocks.{layer}."): p for name, p in w.items() if name.startswith(f"blocks.{layer}.")}
        y = F.layer_norm(x, (e,), b["norm1.weight"], b["norm1.bias"])
        q, k, v = (y @ b[f"attention.{name}.weight"].T for name in ("toqueries", "tokeys", "tovalues"))
        outs, layer_maps = [], []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = q[:, part] @ k[:, part].T / math.sqrt(size)
            if raw is not None:
                raw[layer, head] = scores
            if seen is not None:
                scores = scores.masked_fill(~seen, -math.inf)
            elif causal:
                scores = scores + torch.full((t, t), -math.inf).triu(1)
            weights = scores.exp() / scores.exp().sum(1, keepdim=True)
            factor = 0.0 if (layer, head) in removed else (scaled or {}).get((layer, head), 1.0)
            outs.append(factor * (weights @ v[:, part]))
            layer_maps.append(weights)
        x = x + torch.cat(outs, 1) @ b["attention.unifyheads.weight"].T + b["attention.unifyheads.bias"]
        y = F.layer_norm(x, (e,), b["norm2.weight"], b["norm2.bias"])
        y = y @ b["ff.0.weight"].T + b["ff.0.bias"]
        y = (0.5 * y * (1 + torch.erf(y / math.sqrt(2)))) if gelu else y.clamp_min(0)
        x = x + y @ b["ff.2.weight"].T + b["ff.2.bias"]
        maps.append(layer_maps)
    return F.layer_norm(x, (e,), w["norm.weight"], w["norm.bias"]), maps


def logits(state, ids, **options):
    """Returns (t, num_tokens): a generator's logits for the next token after each token."""
    x, maps = run(state, ids, causal=True, **options)
    return x @ state["toprobs.weight"].T + state["toprobs.bias"], maps


def next_probs(state, ids, **options):
    """Returns (t, num_tokens): the probabilities of the next token after each token."""
    out, maps = logits(state, ids, **options)
    return out.exp() / out.exp().sum(1, keepdim=True), maps


def class_probs(state, ids, **options):
    """Returns (num_classes,), with average pooling."""
    x, maps = run(state, ids, causal=False, **options)
    logits = x.mean(0) @ state["toprobs.weight"].T + state["toprobs.bias"]
    return logits.exp() / logits.exp().sum(), maps
