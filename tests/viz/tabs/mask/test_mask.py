"""Tab Mask without a browser: every number compared with plain torch or a count by hand, and valid requests."""

import json
import math
from typing import Any

import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from former.training.measure.evaluate import bits_per_byte, sample
from tests.mask_rules import KINDS, allowed, cells, in_row, seen
from tests.viz import plain
from tests.viz.conftest import spread
from viz.panels.routes import attach
from viz.passes.loaded import Loaded
from viz.tabs.base import site_of
from viz.tabs.mask import consequence, masking, page
from viz.tabs.mask.panels import CONSEQUENCE, MASKED, PANELS, UNMASKED
from viz.text import in_words, note
from viz.text.examples import MASK_LONG_TEXT

TEXT = "A cat, a mat."  # 13 bytes
OPTIONS: dict[str, Any] = {"heads": 4, "gelu": True}


def tiny(name: str, masked: bool, context: int = 96) -> Loaded:
    torch.manual_seed(5 if masked else 8)
    shape: dict[str, Any] = {"num_tokens": 256, "emb": 16, "heads": 4, "depth": 2, "seq_length": context}
    config = former.ModelConfig(**shape, norm="pre", activation="gelu", mask="causal" if masked else "none")
    bundle = former.Bundle(
        spread(former.Generator(config)),
        former.tokens.ByteTokenizer(),
        config,
        {},
    )
    return Loaded(name, bundle, name)


@pytest.fixture(scope="module")
def house(models) -> dict[str, Loaded]:
    pair = [tiny("tiny-generator", True), tiny("tiny-unmasked", False)]
    return models | {loaded.name: loaded for loaded in pair}


@pytest.fixture(scope="module")
def client(house):
    server = FastAPI()
    site = site_of(house)
    attach(server, site.models, site.work, PANELS)
    return TestClient(server)


def asked(**changes: Any) -> dict[str, Any]:
    usual = {"text": TEXT, "model": "small-generator", "layer": 0, "head": 0, "mask": "causal", "size": 3, "seed": 1}
    return usual | {"long": "The cat sat on a mat, and a dog sat on the cat."} | changes


def ask(client: TestClient, path: str, **changes: Any) -> dict[str, Any]:
    answer = client.post(path, content=json.dumps(asked(**changes)))
    assert answer.status_code == 200, answer.text
    return answer.json()


def losses(models: dict[str, Loaded], view: dict[str, Any]) -> dict[str, Any]:
    return CONSEQUENCE.questions["losses"].answer(models, view)


def state(house, name: str) -> dict[str, torch.Tensor]:
    return house[name].bundle.model.state_dict()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_weights_are_those_of_the_model_with_the_mask_in_every_layer(client, house, kind):
    answer = ask(client, "/ask/mask-stages/head", mask=kind, layer=2, head=1)
    raw: dict[tuple[int, int], torch.Tensor] = {}
    mask = seen(kind, len(TEXT), 3)
    ids = torch.tensor(list(TEXT.encode()))
    _, maps = plain.run(state(house, "small-generator"), ids, causal=False, seen=mask, raw=raw, **OPTIONS)
    torch.testing.assert_close(torch.tensor(answer["scores"]), raw[2, 1], atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(torch.tensor(answer["weights"]), maps[2][1], atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(torch.tensor(answer["shares"]), maps[2][1], atol=1e-5, rtol=1e-5)
    exps = (raw[2, 1] - raw[2, 1].masked_fill(~mask, -math.inf).amax(-1, keepdim=True)).exp() * mask
    torch.testing.assert_close(torch.tensor(answer["exps"]), exps, atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(torch.tensor(answer["sums"]), exps.sum(-1), atol=2e-4, rtol=1e-5)
    assert max(answer["errors"]) < 1e-5
    assert torch.equal(torch.tensor(answer["allowed"]).bool(), mask)
    assert (torch.tensor(answer["weights"])[~mask] == 0).all()
    assert answer["labels"] == [*"A␣cat,␣a␣mat."]
    assert answer["headSize"] == 8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("text", "size"), [(TEXT, 1), (TEXT, 4), ("abcdefghijklmnopqrstuvwx", 5), ("x", 24)])
def test_the_cells_are_counted_one_by_one(client, kind, text, size):
    answer = ask(client, "/ask/mask-stages/head", mask=kind, text=text, size=size)
    t = len(text)
    assert answer["cells"] == cells(kind, t, size)


@pytest.mark.parametrize("kind", KINDS)
def test_the_growth_is_exact_up_to_100_000_tokens(kind):
    size = 7
    growth = masking.count_cells(kind, size, 23)
    lengths, counts = growth["lengths"], growth["cells"]
    assert lengths == sorted(set(lengths))
    assert {1, 10, 23, 100, 1_000, 10_000, 100_000} <= set(lengths)
    for at, t in enumerate(lengths):
        if t > 3_000 and t != 100_000:  # each is a sum of t rows, here
            continue
        assert counts[growth["chosen"]][at] == sum(in_row(kind, i, t, size) for i in range(t))
        for line in KINDS:
            width = math.isqrt(t) if line in ("strided", "fixed") else size
            assert counts[line][at] == sum(in_row(line, i, t, width) for i in range(t)), (line, t)


@pytest.mark.parametrize(("kind", "lines"), [("causal", list(KINDS)), ("strided", [*KINDS, "own"])])
def test_the_chart_of_what_masks_cost_has_their_counts_in_both_themes(client, kind, lines):
    answer = ask(client, "/ask/mask-growth/cost", mask=kind)
    assert (list(answer["cells"]), answer["at"]) == (lines, len(TEXT))
    growth = masking.count_cells(kind, 3, len(TEXT))
    assert answer["cells"] == growth["cells"]
    for theme in ("light", "dark"):
        drawn = {trace["name"]: trace for trace in answer["chart"][theme]["data"]}
        assert list(drawn) == [*lines, "at"]
        assert drawn["at"]["y"] == [cells(kind, len(TEXT), 3)]
        for line in lines:
            assert (drawn[line]["x"], drawn[line]["y"]) == (growth["lengths"], growth["cells"][line])
        widest = max(lines, key=lambda line: drawn[line]["line"]["width"])
        assert widest == answer["chosen"] == ("own" if kind == "strided" else kind)


def test_a_sum_of_rows_is_the_mask_itself():
    for kind in KINDS:
        for t, size in ((1, 1), (9, 4), (40, 6), (41, 40), (64, 8)):
            assert sum(in_row(kind, i, t, size) for i in range(t)) == int(seen(kind, t, size).sum())


def test_root_strides_grow_as_t_root_t_and_a_stride_that_stays_as_t_squared():
    result = masking.count_cells("strided", 5, 23)
    late, growth = result["lengths"].index(10_000), result["cells"]
    assert growth["strided"][-1] / growth["strided"][late] == pytest.approx(10**1.5, rel=0.02)
    assert growth["fixed"][-1] / growth["fixed"][late] == pytest.approx(10**1.5, rel=0.02)
    assert growth["local"][-1] / growth["local"][late] == pytest.approx(10, rel=0.01)
    assert growth["own"][-1] / growth["own"][late] == pytest.approx(100, rel=0.02)


def moved_by_hand(parameters: dict[str, torch.Tensor], mask: torch.Tensor) -> torch.Tensor:
    """Returns in row i, column j the largest change of output i's logits when byte j becomes the byte below it."""
    ids = torch.tensor(list(TEXT.encode()))
    before, _ = plain.logits(parameters, ids, seen=mask, **OPTIONS)
    columns = []
    for j in range(len(ids)):
        other = ids.clone()
        other[j] -= 1
        after, _ = plain.logits(parameters, other, seen=mask, **OPTIONS)
        columns.append((after - before).abs().amax(-1))
    return torch.stack(columns, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_proof_is_how_far_logits_move_when_a_byte_becomes_its_neighbour(client, house, kind):
    answer = ask(client, "/ask/mask-proof/masked", mask=kind, size=2)
    expected = moved_by_hand(state(house, "small-generator"), seen(kind, 13, 2))
    torch.testing.assert_close(torch.tensor(answer["moves"]), expected, atol=1e-4, rtol=1e-4)


def test_without_a_mask_every_output_moves_and_no_mask_changes_that_answer(client, house):
    answer = ask(client, "/ask/mask-proof/unmasked", mask="local")
    expected = moved_by_hand(state(house, "small-generator"), seen("none", 13, 1))
    torch.testing.assert_close(torch.tensor(answer["moves"]), expected, atol=1e-4, rtol=1e-4)
    assert (torch.tensor(answer["moves"]) > 0).all()
    assert answer == ask(client, "/ask/mask-proof/unmasked", mask=None, size=None)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_out_of_reach_stands_exactly_still_and_what_is_in_reach_moves(client, kind):
    answer = ask(client, "/ask/mask-reach/reach", mask=kind, size=2)
    assert answer["depth"] == answer["pictures"] == 3
    changes = torch.tensor(ask(client, "/ask/mask-proof/masked", mask=kind, size=2)["moves"])
    reached = torch.tensor(answer["needs"][kind]) <= 3
    assert torch.equal(changes != 0, reached)  # local: 3 layers of a window of 2 reach back 3 tokens and no further


def test_layers_are_counted_as_a_walk_through_the_mask_counts_them(client):
    answer = ask(client, "/ask/mask-reach/reach", size=2)
    for kind in KINDS:
        values = [{i} for i in range(13)]
        needs = [[4] * 13 for _ in range(13)]
        for layer in (1, 2, 3):
            values = [set().union(*(values[j] for j in range(13) if allowed(kind, i, j, 2))) for i in range(13)]
            for i in range(13):
                for j in values[i]:
                    needs[i][j] = min(needs[i][j], layer)
        assert answer["needs"][kind] == needs


def bits_by_hand(parameters: dict[str, torch.Tensor], ids: list[int], mask: torch.Tensor) -> torch.Tensor:
    logits, _ = plain.logits(parameters, torch.tensor(ids[:-1]), seen=mask, **OPTIONS)
    probs = logits.double().softmax(-1)
    return -probs[torch.arange(len(ids) - 1), torch.tensor(ids[1:])].log2()


def test_the_losses_are_those_of_the_models_on_the_text(client, house):
    answer = ask(client, "/ask/mask-consequence/losses")
    ids = list(asked()["long"].encode())
    t = len(ids) - 1
    for one, kind in zip(answer["pair"], ("causal", "none"), strict=True):
        parameters = state(house, one["name"])
        bits = bits_by_hand(parameters, ids, seen(kind, t, 1))
        assert one["bits"] == pytest.approx(bits.tolist(), abs=1e-4)
        assert one["own"] == pytest.approx(float(bits.mean()), abs=1e-4)
        text = torch.tensor(ids, dtype=torch.uint8)
        assert [one["rest"], one["seen"]] == pytest.approx([float(bits[:-1].sum()), float(bits[:-1].mean())], abs=1e-3)
        official = bits_per_byte(house[one["name"]].bundle.model, text, 1, len(ids), context=96, stride=96)
        assert one["own"] == pytest.approx(official, abs=1e-4)
        alone = [bits_by_hand(parameters, ids[: i + 1], seen(kind, i, 1))[-1] for i in range(1, len(ids))]
        assert one["hidden"] == pytest.approx(float(torch.stack(alone).mean()), abs=1e-4)
    masked, unmasked = answer["pair"]
    assert (masked["masked"], unmasked["masked"]) == (True, False)
    assert masked["hidden"] == masked["own"]  # nothing to hide: it is one measurement, not two
    assert abs(unmasked["hidden"] - unmasked["own"]) > 0.01


def test_the_mask_is_taken_off_the_generator_that_was_chosen(client, house):
    text = "The cat sat on the mat, and so on."
    answer = ask(client, "/ask/mask-consequence/losses", long=text)
    ids = list(text.encode())
    for name, kind in (("before", "causal"), ("after", "none")):
        bits = bits_by_hand(state(house, "small-generator"), ids, seen(kind, len(ids) - 1, 1))
        assert answer["switched"][name] == pytest.approx(float(bits.mean()), abs=1e-4)
    assert answer["model"] == "small-generator"


def written_by_hand(parameters: dict[str, torch.Tensor], kind: str, seed: int) -> list[int]:
    """Returns the continuation of "Hello, you": each byte from a pass over all bytes before it, under this mask."""
    ids, dice = list(b"Hello, you"), torch.Generator().manual_seed(seed)
    for _ in range(consequence.WRITTEN):
        logits, _ = plain.logits(parameters, torch.tensor(ids), seen=seen(kind, len(ids), 1), **OPTIONS)
        probs = (logits[-1] / consequence.TEMPERATURE).softmax(-1)
        ids.append(int(torch.multinomial(probs, 1, generator=dice)))
    return ids[len("Hello, you") :]


def test_each_writes_under_the_mask_of_its_training_and_by_the_same_seed(client, house):
    answer = ask(client, "/ask/mask-consequence/losses", seed=11, long="Hello, you")
    for one in answer["pair"]:
        loaded = house[one["name"]]
        written = sample(loaded.bundle, "Hello, you", consequence.WRITTEN, consequence.TEMPERATURE, 11)
        ids = written_by_hand(state(house, one["name"]), "causal" if one["masked"] else "none", 11)
        assert loaded.bundle.tokenizer.decode(ids) == written
        assert one["written"] == loaded.bundle.tokenizer.labels(ids)
    other = ask(client, "/ask/mask-consequence/losses", seed=12, long="Hello, you")
    assert all(a["written"] != b["written"] for a, b in zip(answer["pair"], other["pair"], strict=True))


def test_the_shipped_model_without_a_mask_copies_and_cannot_write():
    shipped = {name: Loaded(name, former.load(name), name) for name in (MASKED, UNMASKED)}
    answer = losses(shipped, asked(model="tiny-generator", long=MASK_LONG_TEXT))
    fair, cheat = answer["pair"]
    assert sum(cheat["bits"][:-1]) < 0.05 * cheat["bits"][-1]  # it saw every answer but the last
    assert fair["own"] < 3
    assert cheat["hidden"] > 8  # bits: worse than guessing among 256
    assert answer["switched"]["after"] > answer["switched"]["before"] + 1


def test_a_model_of_pieces_stands_beside_the_two_of_bytes_each_reading_its_own_tokens():
    names = (MASKED, UNMASKED, "gpt")
    shipped = {name: Loaded(name, former.load(name), name) for name in names}
    text = "The cat sat on the mat, naïve as it was."
    answer = losses(shipped, asked(model="gpt", long=text))
    of_bytes = losses(shipped, asked(model="tiny-generator", long=text))
    for name in ("labels", "total", "pair"):
        assert answer[name] == of_bytes[name]
    gpt = shipped["gpt"].bundle
    ids = gpt.tokenizer.encode(text)
    count = len(text.encode()) - len(gpt.tokenizer.decode(ids[:1]).encode())
    for name, mask in (("before", None), ("after", former.masks.none(len(ids) - 1))):
        with torch.inference_mode():
            probs = gpt.model(torch.tensor([ids[:-1]]), mask=mask)[0].double().softmax(-1)
        bits = -sum(math.log2(probs[i, token]) for i, token in enumerate(ids[1:]))
        assert answer["switched"][name] == pytest.approx(bits / count, abs=1e-4)


def test_a_long_text_is_cut_and_says_so(client):
    answer = ask(client, "/ask/mask-stages/head", text="x" * 30 + "é")
    assert (answer["tokens"], answer["total"]) == (24, 32)
    cut = ask(client, "/ask/mask-stages/head", text="x" * 23 + "é")
    assert cut["labels"][-1] == "xC3"
    longer = ask(client, "/ask/mask-consequence/losses", long="ab" * 100)
    assert (len(longer["labels"]), longer["total"]) == (48, 200)  # the context of the smallest of the models


def test_a_single_byte_is_enough_for_the_pictures(client):
    assert ask(client, "/ask/mask-stages/head", text="x")["weights"] == [[1.0]]
    for path in ("/ask/mask-consequence/losses", "/python/mask-consequence"):
        assert ask(client, path, long="x") == {"error": note("too_short")}
    assert len(ask(client, "/ask/mask-proof/masked", text="x")["moves"]) == 1


@pytest.mark.parametrize(
    ("path", "changes", "said"),
    [
        ("/ask/mask-stages/head", {"model": "nobody"}, "model"),
        ("/ask/mask-stages/head", {"model": "small-classifier"}, "model"),
        ("/ask/mask-proof/masked", {"model": "tiny-unmasked"}, "causal mask"),
        ("/ask/mask-stages/head", {"model": ["small-generator"]}, "model"),
        ("/ask/mask-stages/head", {"text": ""}, "no text"),
        ("/ask/mask-proof/masked", {"text": None}, "no text"),
        ("/ask/mask-proof/unmasked", {"text": None}, "no text"),
        ("/ask/mask-proof/unmasked", {"model": "tiny-unmasked"}, "causal mask"),
        ("/ask/mask-stages/head", {"text": {"a": 1}}, "no text"),
        ("/ask/mask-stages/head", {"text": "x" * 4_001}, "limit"),
        ("/ask/mask-stages/head", {"layer": 3}, "Layer must be a whole number from 0 to 2"),
        ("/ask/mask-stages/head", {"layer": -1}, "Layer"),
        ("/ask/mask-stages/head", {"head": 4}, "Head must be a whole number from 0 to 3"),
        ("/ask/mask-stages/head", {"head": True}, "Head"),
        ("/ask/mask-stages/head", {"head": 1.0}, "Head"),
        ("/ask/mask-stages/head", {"head": "1" * 500}, "Head"),
        ("/ask/mask-stages/head", {"mask": "full"}, "no such mask"),
        ("/ask/mask-proof/masked", {"mask": ["causal"]}, "no such mask"),
        ("/ask/mask-stages/head", {"size": 0}, "Window or stride"),
        ("/ask/mask-proof/masked", {"size": 25}, "Window or stride"),
        ("/ask/mask-consequence/losses", {"seed": 10_000}, "Seed"),
        ("/ask/mask-consequence/losses", {"seed": None}, "Seed"),
        ("/ask/mask-consequence/losses", {"long": 3}, "no text"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(client, path, changes, said):
    answer = client.post(path, content=json.dumps(asked(**changes)))
    assert answer.status_code == 422
    words = in_words(answer.json()["error"])
    assert said.lower() in words.lower()
    assert len(words) < 200


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"model": "small-generator"}'])
def test_a_request_that_is_none_is_refused(client, body):
    assert client.post("/ask/mask-stages/head", content=body).status_code == 422


def test_without_the_two_small_models_the_rest_is_still_measured(models):
    answer = losses(models, asked())
    assert answer["pair"] == []
    assert answer["switched"]["after"] != answer["switched"]["before"]
    assert page.settings(models)["consequence"]["missing"] == ["tiny-generator", "tiny-unmasked"]


def test_of_a_model_with_a_short_context_as_many_tokens_are_shown_as_it_can_read():
    loaded = tiny("short", True, context=9)
    assert page.settings({"short": loaded})["models"]["short"]["heads"] == 4
    shown = masking.run_head(loaded.bundle, TEXT, 0, 0, "causal")
    assert shown["labels"] == loaded.bundle.tokenizer.labels(list(TEXT.encode()[:9]))
    for measure in (masking.move_outputs, masking.count_layers):
        assert measure(loaded.bundle, TEXT, "causal")["labels"] == shown["labels"]


def test_the_tab_opens_on_a_head_that_neither_spreads_evenly_nor_looks_at_one_token(house):
    bundle = house["small-generator"].bundle
    layer, head = masking.first_head(bundle, TEXT)
    half = sum(math.log2(n) for n in range(1, 14)) / 13 / 2

    def away(layer: int, head: int) -> float:
        weights = masking.run_head(bundle, TEXT, layer, head, "causal")["weights"]
        return abs(float(-torch.xlogy(weights, weights).sum(-1).mean()) / math.log(2) - half)

    others = [away(layer, head) for layer in range(3) for head in range(4)]
    assert away(layer, head) == pytest.approx(min(others), abs=1e-6)
