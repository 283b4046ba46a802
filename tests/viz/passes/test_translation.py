"""A text and its answer through the shipped encoder-decoder: three maps, compared with plain torch on the weights
alone."""

import math
from itertools import product

import pytest
import torch
import torch.nn.functional as F

import former
from former.encoder_decoder import write
from tests.modules import evaluate
from tests.ranked import check_greedy, check_largest
from tests.viz.passes.answered import answered, measured, run
from viz.passes import edits, measures
from viz.passes.loaded import Loaded
from viz.passes.run import read
from viz.passes.store import PassStore
from viz.tabs.explore.answer import answer
from viz.text import Refusal, in_words

DATE = "the 4th of July, 1976"
LOGITS = 2e-3  # how far logits of about 20 may differ, in float32 on both sides


@pytest.fixture(scope="module")
def dates() -> Loaded:
    return Loaded("dates", former.load("dates"), "")


def test_an_answer_is_written_once_for_all_questions_about_its_text(monkeypatch):
    loaded, sources = Loaded("dates", former.load("dates"), ""), []

    def note(model, source, *ends):
        sources.append(source.tolist())
        return write(model, source, *ends)

    monkeypatch.setattr("former.runs.translator.write", note)
    first = read(loaded, DATE)
    assert read(loaded, DATE) is first
    assert read(loaded, "4 July 1976").ids != first.ids
    assert len(sources) == 2


def test_no_candidate_is_said_to_be_impossible(dates):
    probs = [each["prob"] for each in run(dates, DATE).header["output"]["next"]]
    assert min(probs) < 1e-7
    assert 0 not in probs


def attention(state, name, x, context, seen=None):
    """Computes one attention of the checkpoint: (t, e) and (t_key, e) → its contribution, (t, e), and its weights (h,
    t, t_key)."""
    q, k, v = (
        y @ state[f"{name}.{to}.weight"].T for y, to in ((x, "toqueries"), (context, "tokeys"), (context, "tovalues"))
    )
    parts = [y.unflatten(-1, (4, 32)).transpose(0, 1) for y in (q, k, v)]  # (h, t, s)
    scores = parts[0] @ parts[1].transpose(1, 2) / math.sqrt(32)
    weights = (scores if seen is None else scores.masked_fill(~seen, -math.inf)).softmax(-1)
    out = (weights @ parts[2]).transpose(0, 1).flatten(1)
    return out @ state[f"{name}.unifyheads.weight"].T + state[f"{name}.unifyheads.bias"], weights


def norm(state, name, x):
    return F.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"])


def fed(state, name, x):
    hidden = F.gelu(x @ state[f"{name}.0.weight"].T + state[f"{name}.0.bias"])
    return hidden @ state[f"{name}.2.weight"].T + state[f"{name}.2.bias"]


def plain(state, source, target):
    """Computes both stacks explicitly: the maps by name, (layers, h, ·, ·), and the logits (t, num_tokens)."""
    maps = {"encoder": [], "decoder": [], "cross": []}

    def embed(stack, ids):
        places = state[f"{stack}.positions.embedding.weight"][: len(ids)]
        return state[f"{stack}.token_embedding.weight"][ids] + places

    x = embed("encoder", source)
    for block in (f"encoder.blocks.{layer}" for layer in range(3)):
        y = norm(state, f"{block}.norm1", x)
        added, weights = attention(state, f"{block}.attention", y, y)
        maps["encoder"].append(weights)
        x = x + added
        x = x + fed(state, f"{block}.ff", norm(state, f"{block}.norm2", x))
    memory, x = norm(state, "encoder_norm", x), embed("decoder", target)
    for block in (f"decoder.blocks.{layer}" for layer in range(3)):
        y = norm(state, f"{block}.norm1", x)
        added, weights = attention(state, f"{block}.attention", y, y, torch.ones(len(x), len(x)).tril().bool())
        maps["decoder"].append(weights)
        x = x + added
        added, weights = attention(state, f"{block}.cross", norm(state, f"{block}.cross_norm", x), memory)
        maps["cross"].append(weights)
        x = x + added
        x = x + fed(state, f"{block}.ff", norm(state, f"{block}.norm2", x))
    logits = norm(state, "norm", x) @ state["toprobs.weight"].T + state["toprobs.bias"]
    return {name: torch.stack(layers) for name, layers in maps.items()}, logits


@pytest.mark.parametrize("typed", [None, "1976-04-07"], ids=["own answer", "typed answer"])
def test_maps_surprise_and_next_token_are_those_of_the_weights_alone(dates, typed):
    pass_ = run(dates, DATE if typed is None else f"{DATE} → {typed}")
    state, header = dates.bundle.model.state_dict(), pass_.header
    answer = header["answer"]
    assert answer["own"] == former.translate(dates.bundle, DATE) == "1976-07-04"
    assert "".join(answer["labels"][1:]) == (typed or "1976-07-04")
    maps, logits = plain(state, header["ids"], answer["ids"])
    assert [each.name for each in pass_.maps] == ["cross", "encoder", "decoder"]
    for each in pass_.maps:
        torch.testing.assert_close(each.weights, maps[each.name], atol=5e-5, rtol=0)  # float32 on both sides
    assert pass_.map("cross").queries == answer["labels"]
    assert pass_.map("cross").keys == header["labels"]
    bits = [-float(p[i].log2()) for p, i in zip(logits.softmax(-1), answer["ids"][1:], strict=False)]
    assert header["output"]["bits"][1:] == pytest.approx(bits, abs=1e-4)
    likeliest = header["output"]["next"][0]
    check_largest(likeliest["id"], logits[-1], LOGITS)
    if typed is None:
        assert likeliest["label"] == "<end>"


def test_the_cross_map_says_how_sharp_each_head_is_and_opens_on_one_that_looks_at_many_tokens(dates):
    cross = run(dates, DATE).map("cross")
    described, exact = cross.describe(), cross.weights.amax(-1).mean(-1)
    assert "statistics" not in described
    assert described["sharpness"]["head"] == [pytest.approx(row, abs=1e-5) for row in exact.tolist()]
    layer, head = described["first_head"]
    different = {head: len(set(cross.weights[head].argmax(-1).tolist())) for head in product(range(3), range(4))}
    worth = {head: float(exact[head]) * count for head, count in different.items()}
    assert worth[layer, head] == pytest.approx(max(worth.values()))
    assert exact[layer, head] > 0.5
    assert different[layer, head] >= 5


PLACES = {
    "encoder": "encoder.blocks.{}.attention",
    "decoder": "decoder.blocks.{}.attention",
    "cross": "decoder.blocks.{}.cross",
}


def without(state, stack, layer, head):
    """Returns the weights of a model with one head ablated."""
    name = f"{PLACES[stack].format(layer)}.unifyheads.weight"
    read = state[name].clone()
    read[:, 32 * head : 32 * head + 32] = 0
    return {**state, name: read}


@pytest.mark.parametrize("stack", PLACES)
def test_a_head_of_any_stack_is_switched_off_and_its_answer_is_that_of_weights_without_it(dates, stack):
    state = dates.bundle.model.state_dict()
    off = [{"map": stack, "layer": 0, "head": head, "do": "scale", "factor": 0.0} for head in (0, 2)]
    pass_ = run(dates, DATE, off)
    header, tokenizer = pass_.header, dates.bundle.tokenizer
    source, target = header["ids"], header["answer"]["ids"]
    for edit in off:
        state = without(state, stack, edit["layer"], edit["head"])
    maps, logits = plain(state, source, target)
    for each in pass_.maps:
        torch.testing.assert_close(each.weights, maps[each.name], atol=5e-5, rtol=0)
    for output, said in (
        (header["output"], logits),
        (header["baseline"], plain(dates.bundle.model.state_dict(), source, target)[1]),
    ):
        bits = [-float(p[i].log2()) for p, i in zip(said.softmax(-1), target[1:], strict=False)]
        assert output["bits"][1:] == pytest.approx(bits, abs=1e-3)
    written = tokenizer.encode_target(header["answer"]["edited"])  # from <begin> to <end>
    if len(written) > 64:  # it came to no end
        written = written[:64]
    check_greedy(written[1:], plain(state, source, written)[1][: len(written) - 1], LOGITS)
    assert header["answer"]["own"] == "1976-07-04"
    result = answered("lens/depths", dates, pass_)
    for best, row in zip(result["ids"][-1], logits, strict=True):
        check_largest(best[0], row, LOGITS)


def test_every_kind_of_edit_is_made_in_the_stack_that_it_names_and_goes_through_a_link(dates):
    model = dates.bundle.model
    whole = {"map": "cross", "layer": 1, "head": None, "do": "uniform"}
    weight = {
        "map": "decoder",
        "layer": 0,
        "head": 2,
        "query": 5,
        "key": 3,
        "do": "weight",
        "weight": 0.25,
        "renormalise": True,
    }
    linked = "cross.1.L.uniform,decoder.0.2.w5_3_0.25"
    assert edits.from_link(linked, model) == ([whole, weight], [])
    write = "({ editsInLink }, edits) => editsInLink(edits)"
    assert evaluate("tabs/explore/lib/pass.js", write, [whole, weight]) == linked, "the page writes them so"
    assert edits.from_link("0.0.off,self.0.0.off", model) == ([], ["0.0.off", "self.0.0.off"])
    assert edits.from_link("cross.0.0.off", former.load("tiny-generator").model) == ([], ["cross.0.0.off"])
    pass_ = run(dates, DATE, [whole, weight])
    cross, decoder = pass_.map("cross").weights, pass_.map("decoder").weights
    torch.testing.assert_close(cross[1], torch.full_like(cross[1], 1 / cross.shape[-1]))
    assert float(decoder[0, 2, 5, 3]) == pytest.approx(0.25)
    assert float(decoder[0, 2, 5].sum()) == pytest.approx(1, abs=1e-6)
    assert run(dates, DATE).header["answer"]["edited"] is None


def test_the_lens_reads_the_decoder(dates):
    pass_ = run(dates, DATE)
    result = answered("lens/depths", dates, pass_)
    _, logits = plain(dates.bundle.model.state_dict(), pass_.header["ids"], pass_.header["answer"]["ids"])
    for best, row in zip(result["ids"][-1], logits, strict=True):
        check_largest(best[0], row, LOGITS)
    assert len(result["ids"]) == 4


def test_what_the_page_says_of_odd_dates(dates):
    models = {"dates": dates}
    passes = PassStore(models)

    def notes(text, edits=""):
        result = answer(models, passes, {"model": "dates", "text": text, "edits": edits})
        return [in_words(note) for note in result["notes"]], result["key"]

    said, key = notes("4 Juli ☃ 1976 -> ☃")
    assert said == ["1 of 14 characters is not in the model’s vocabulary; it sees it as <unk>."]
    assert passes.get(key)[0].header["answer"]["labels"] == ["<begin>", "<unk> ☃"]  # pyright: ignore
    assert "64 characters at once" in notes("4 July 1976 " * 9)[0][0]
    for text, says in ((f"4 July 1976 → {'1' * 64}", "reads at most 63"), ("→ 1976-07-04", "no text")):
        with pytest.raises(Refusal, match=says):
            notes(text)
    assert notes("4 July 1976 →")[1]
    for wrong in ("0.0.uniform", "self.0.0.uniform", "cross.3.0.uniform"):
        assert f"does not have (“{wrong}”)" in notes(DATE, wrong)[0][0]
    assert notes(DATE, "cross.0.0.uniform")[0] == []


def test_every_head_of_its_three_stacks_is_worth_the_bits_that_its_answer_costs_without_it(dates):
    pass_ = run(dates, DATE)
    state, source, target = dates.bundle.model.state_dict(), pass_.header["ids"], pass_.header["answer"]["ids"]

    def bits(state):
        _, logits = plain(state, source, target)
        return float(F.cross_entropy(logits[:-1], torch.tensor(target[1:]))) / math.log(2)

    rows = list(measures.heads(pass_.run))
    assert [(row["map"], row["layer"]) for row in rows] == list(product(("cross", "encoder", "decoder"), range(3)))
    for row in rows:
        expected = [bits(without(state, row["map"], row["layer"], head)) - bits(state) for head in range(4)]
        assert row["effects"] == pytest.approx(expected, abs=1e-3)
    assert max(abs(effect) for row in rows for effect in row["effects"]) > 0.1
    off = {"map": "cross", "layer": 2, "head": 1, "do": "scale", "factor": 0.0}
    under = list(measures.heads(run(dates, DATE, [off]).run))
    assert under[2]["effects"][1] == 0.0, "it is off already"
    with pytest.raises(Refusal, match="leaves nothing to predict"):
        measured("interventions/removed", dates, run(dates, f"{DATE} →"))


def test_it_gives_no_verdict(dates):
    pass_ = run(dates, DATE)
    with pytest.raises(Refusal, match="no verdict"):
        measured("words/words", dates, pass_)
