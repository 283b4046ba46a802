"""Views for each panel that together cover everything it can show."""

from __future__ import annotations

from typing import Any

HOSTILE = "\"\"\"'''\\\n{x}\u202e$x^2$<b>\ud800 the\U0001f600"
WORDS = {"text": "not a bad film", "order": "3.1.0.2"}
SWITCHES = {**WORDS, "positions": "none", "mask": "none"}

MASKED = {"model": "tiny-generator", "text": "The cat sat on the mat.", "mask": "strided", "size": 4}
LONG = {"long": "The cat sat on the mat, naïve as it was.", "seed": 3}
WRITTEN = {"model": "tiny-generator", "text": "The cat sat on the mat.", "written": [32, 80], "seed": 4}
GAME = {"model": "tiny-generator", "game_text": "The cat sat on the mat, and the dog sat on the cat."}
RULES = {"penalty": 1.2, "min_p": 0.05, "rounds": 2}
HEAD = {**WRITTEN, "layer": 1, "head": 3, "of": "head"}
BRANCHES = {"branches": [[0, 0, [32, 80]], [0, 1, [33]]]}

VIEWS: dict[str, list[dict[str, Any]]] = {
    "word-order": [WORDS],
    "permutation": [WORDS, {"text": HOSTILE, "order": "typed"}],
    "equivariance": [SWITCHES, SWITCHES | {"positions": "learned", "mask": "causal"}, SWITCHES | {"text": HOSTILE}],
    "moved-rows": [
        *({**SWITCHES, "positions": "sinusoidal", "output": output} for output in ("basic", "layer", "block")),
        {**SWITCHES, "output": "classifier", "mask": "causal"},
    ],
    "verdicts": [WORDS],
    "position-maps": [
        {"table": "tiny-generator", "at": 20, "product": "dot"},
        {"table": "sinusoidal", "at": 9_999, "product": "cosine"},
    ],
    "written-text": [
        HEAD,
        {**HEAD, "of": "mean", "text": "The cat sat on the mat. " * 12},
        {**HEAD, "text": HOSTILE, "second": "gpt", "second_written": [300, 301, 302]},
        {**HEAD, "model": "gpt", "layer": 3, "head": 6, "second": "tiny-generator"},
    ],
    "next-token": [WRITTEN, {**WRITTEN, "temperature": 0.8, "top_k": 7, "top_p": 0.9, "model": "gpt"}, WRITTEN | RULES],
    "guess": [GAME | {"beliefs": []}, GAME | {"beliefs": [[0.2, *[0.1] * 8], [0.92, *[0.01] * 8]]}],
    "cache": [WRITTEN, {**WRITTEN, "model": "gpt", "text": "The cat sat on the mat. " * 60}],
    "trail": [WRITTEN | BRANCHES | {"searched": [32], "beams": 3}, {**WRITTEN, **BRANCHES, "text": HOSTILE}],
    "mask-stages": [{**MASKED, "mask": mask, "layer": 1, "head": 2} for mask in ("none", "causal", "fixed")]
    + [{**MASKED, "text": HOSTILE, "layer": 0, "head": 0}],
    "mask-growth": [{**MASKED, "mask": mask} for mask in ("local", "strided")],
    "mask-proof": [MASKED, {**MASKED, "model": "gpt"}],
    "mask-reach": [{**MASKED, "mask": mask} for mask in ("local", "fixed")],
    "mask-consequence": [{**LONG, "model": model} for model in ("tiny-generator", "gpt")]
    + [{**LONG, "model": "gpt", "long": HOSTILE}],
}

# --- tab Explore ---

EDITS = [{"layer": 0, "head": 1, "do": "scale", "factor": 0.0}, {"layer": 1, "head": None, "do": "uniform"}]
WEIGHT = {"layer": 1, "head": 3, "do": "weight", "query": 6, "key": 2, "weight": 0.75, "renormalise": True}
BEYOND = WEIGHT | {"query": 99}  # a pair that is not in the text: it does nothing
CROSS = [{"map": "cross", "layer": 0, "head": None, "do": "uniform"}]


def explored(model: str, text: str = "The cat sat on the mat.", **changed: Any) -> dict[str, Any]:
    """Returns a view of tab Explore."""
    usual = {"model": model, "text": text, "map": "self", "edits": [], "layer": 1, "head": 2, "of": "head"}
    return usual | {"scale": "root", "show": "weights", "query": 7, "key": 3} | changed


WRITES = explored("tiny-generator", edits=[*EDITS, BEYOND])
RESTS = explored("tiny-generator", HOSTILE, edits=[WEIGHT])
JUDGES = explored("classifier", "Not a bad film, but the story is a mess.", edits=EDITS)
FILLS = explored("bert", "The [cat] sat. [SEP] It was un[believ]able [MASK] there.", edits=EDITS[:1])
ANSWERS = explored("dates", "4 July 1976", map="cross", edits=CROSS, query=5)
OWN = [explored("dates", "4 July 1976 → 1976-04-07", map=stack, query=5) for stack in ("encoder", "decoder")]
REMEMBERS = explored("xl", edits=EDITS, query=2)
STRONGEST = {"query": None, "every": True}  # opens where the head adds most
EVERY = [WRITES, RESTS, JUDGES, FILLS, ANSWERS, *OWN, REMEMBERS]
OFS = [WRITES | {"of": of} for of in ("mean", "rollout")]
VIEWS |= {
    "overview": EVERY,
    "head-map": [*EVERY, *OFS, *(each | {"show": "scores"} for each in (WRITES, ANSWERS, REMEMBERS))],
    "lines": OFS,
    "statistics": [WRITES, *OFS, JUDGES, FILLS, OWN[1]],
    "pair": [WRITES, JUDGES, FILLS, ANSWERS, REMEMBERS],
    "token-strip": [*EVERY, *OFS],
    "blanks": [FILLS],
    "lens": [WRITES, JUDGES, FILLS, ANSWERS, REMEMBERS],
    "writes": [WRITES, WRITES | {"answer": 65, "rival": 66} | STRONGEST, ANSWERS, OWN[1], REMEMBERS],
    "trace": [WRITES, WRITES | {"part": "adds", "at": 9}, JUDGES, FILLS, ANSWERS, *OWN, explored("tiny-modern")],
    "prediction": [WRITES, WRITES | {"answer": 65, "rival": 66}, RESTS, JUDGES, ANSWERS, REMEMBERS],
    "surprise": [WRITES, RESTS, *OWN, REMEMBERS],
    "interventions": [WRITES, JUDGES, FILLS, ANSWERS, REMEMBERS],
    "words": [JUDGES, JUDGES | {"text": "good bad film " * 43}],
    "export": [*OFS, ANSWERS],
    "beside": [WRITES | {"beside": WRITES | {"edits": []}}, OFS[0] | {"beside": explored("gpt", "Shorter.")}],
}

CARRIED = explored("gpt", "The city in the north of the country", part="heads")
CARRIED["beside"] = explored("gpt", "The cities in the north of the country")
DATED = explored("dates", "5 July 1976", map="cross", part="mlp", from_layer=2, **{"from": 9})
DATED["beside"] = explored("dates", "4 July 1976", map="cross")
VIEWS["carry"] = [CARRIED, DATED, CARRIED | {"part": "attention", "answer": 5, "rival": 7, "from_layer": 4, "from": 5}]

VIEWS["lens"] += [CARRIED | {"lens_from": "3.1", "lens_to": "2.1"}, DATED | {"lens_from": "0.9", "lens_to": "3.9"}]
READ = {"reads": "k", "reads_count": 3, "reader_layer": 4, "reader_head": 0, "writer_layer": 3, "writer_head": 7}
VIEWS["reads"] = [{"model": "bert", "reads": "v", "reads_count": 9}, CARRIED | READ, CARRIED | READ | {"answer": 5}]

SCANNED = {"model": "gpt", "scan_x": "previous", "scan_y": "effect", "layer": 3, "head": 1}
VIEWS |= {"scan": [SCANNED], "forming": [{"model": "tiny-induction"}, {"model": "tiny-induction/step-000800"}]}

# --- tab Learn ---

VIEWLESS = ("time", "memory", "bits", "moves", "card", "losses")  # questions that read nothing of a view

ARROWS = {"words": "a b a", "vectors": "1,0;0.5,-0.5;0,0;0,0;0,0;0,0"}
TEXT = {"text": "not a bad film", "factor": 1, "copies": 1, "run": 0}
LOOKUP = {"keys": "1,0;0,1;-1,0;0,-1", "values": "9,18,10,2", "query": "0.5,0.4", "soft": 12, "asker": "query"}
MATRICES = {"show": "plane", "matrices": "1,0.5,0,1;0.2,1,-1,0;1,0,0,2", "text": "The cat", "layer": 1, "head": 2}
SECTION_VIEWS: dict[str, dict[str, Any]] = {  # of each section of tab Learn
    "self-attention": ARROWS,
    "films": {"show": "learn", "likes": "1110000,1110000,1110000,0001111,0001111,0001111", "seed": 1, "word": "bad"},
    "in-pytorch": TEXT,
    "queries-keys-values": MATRICES,
    "scaling": {"show": "random", "text": "The cat", "measure": "spread", "power": 5, "seed": 3},
    "several-heads": {"show": "gave", "heads": "4", "positions": "on", "emb": 256, "count": 8},
    "which-head": {"pinned": "The cities in the north", "text": "The city in the north"},
    "complete": {"text": "not a bad film", "step": 3},
    "block": {"show": "stack", "text": "not a bad film", "at": 3, "attention": "off", "depth": 3, "seed": 1},
    "going-big": {"t": 20, "batch": 2, "heads": 3, "layers": 4, "bits": "16"},
    "since": {"show": "rotary", "text": "The cat", "at": 5, "back": 2, "head": 1, "shift": 30, "added": 2, "length": 3},
    "classification": {"text": "not a bad film", "out": "1", "pooling": "max"},
    "positions": {"show": "score", "text": "not a bad film", "order": "1.0.2.3", "head": 1, "at": 5, "key": None},
    "key-value": LOOKUP,
    "generation": {"text": "The cat sat", "step": 4, "seed": 3},
    "recurrent": {"text": "The cat sat"},
    "transformer-xl": {"show": "memory", "text": "The cat sat on the mat, and the cat sat.", "layer": 0, "head": 1},
    "sparse": {"show": "pattern", "kind": "fixed", "t": 12, "size": 4},
    "gpt-2": {"show": "pieces", "text": "Größe, naïve café", "level": 3, "depth": 6, "heads": 4},
    "encoder-decoder": {"text": "4 July 1976", "target": "", "prefix": "own", "layer": 2, "head": 3, "seed": 0},
    "bert": {"show": "words", "text": "not a [bad] film", "first": "not a bad film", "second": "it was [paris]"},
    "graphs": {"graph": "4:0-1,1-2", "layers": 2, "renamed": 3},
    "train-now": {"task": "reverse", "seed": 3, "text": "pots", "run": ""},
}
VIEWS |= {f"learn-{name}": [view] for name, view in SECTION_VIEWS.items()}
VIEWS["learn-films"] += [SECTION_VIEWS["films"] | {"show": "words"}]
VIEWS["learn-sparse"] += [SECTION_VIEWS["sparse"] | {"show": show} for show in ("time", "memory")]
VIEWS["learn-key-value"] += [SECTION_VIEWS["key-value"] | {"asker": "keys", "soft": 0}]
VIEWS["learn-classification"] += [SECTION_VIEWS["classification"] | {"pooling": "average", "out": ""}]
VIEWS["learn-scaling"] += [SECTION_VIEWS["scaling"] | {"show": "trained"}]
VIEWS["learn-gpt-2"] += [SECTION_VIEWS["gpt-2"] | {"show": show} for show in ("bits", "sizes")]
VIEWS["learn-transformer-xl"] += [SECTION_VIEWS["transformer-xl"] | {"show": show} for show in ("reach", "terms")]
VIEWS["learn-several-heads"] += [SECTION_VIEWS["several-heads"] | {"show": "sizes", "count": 7}]
VIEWS["learn-bert"] += [SECTION_VIEWS["bert"] | {"show": show} for show in ("texts", "figures")]
VIEWS["learn-positions"] += [SECTION_VIEWS["positions"] | {"show": show} for show in ("order", "length")]
VIEWS["learn-generation"] += [SECTION_VIEWS["generation"] | {"show": "cache", "cache": "tiny-grouped", "tokens": 30}]
VIEWS["learn-since"] += [SECTION_VIEWS["since"] | {"show": show} for show in ("norm", "gate", "cache", "worth")]
VIEWS["learn-block"] += [SECTION_VIEWS["block"] | {"show": show} for show in ("linear", "gradient")]
VIEWS["learn-queries-keys-values"] += [SECTION_VIEWS["queries-keys-values"] | {"show": "head"}]
