"""The result of a scan of a model's heads, compared with plain loops over the model's weights."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import former
from former.analysis import scan
from former.checkpoints import folder_of
from former.tokens import ByteTokenizer
from tests.ranked import check_largest, clear_largest

CONFIG = former.ModelConfig(num_tokens=256, emb=16, heads=2, depth=2, seq_length=12, norm="pre", activation="gelu")
T, LETTERS, SPECIAL = 10, 6, 3  # tokens of a stretch; ids that they are drawn from; one that is no text


def random_model(config=CONFIG):
    torch.manual_seed(0)
    model = former.Generator(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model


MODEL = random_model()
TOKENS = torch.randint(LETTERS, (120, T), generator=torch.Generator().manual_seed(1))
FOUND = scan.scan(MODEL, TOKENS, special=(SPECIAL,), questions=[(row[None], None) for row in TOKENS[:3]])


def weights_of(stretch):
    """Returns the attention weights [layer][head][query][key] as plain numbers."""
    _, capture = former.run_with_capture(MODEL, TOKENS[stretch : stretch + 1])
    return capture.stack("weights")[:, 0].tolist()


WEIGHTS = [weights_of(stretch) for stretch in range(len(TOKENS))]


def plain(measure, rows, ids):
    """Computes one measure of a head's rows on a passage in a loop; None for a query without such a key."""
    total, queries = 0.0, 0
    for i, row in enumerate(rows):
        earlier = [j for j in range(i) if ids[j] == ids[i]]
        keys = {
            "previous": [i - 1] if i else [],
            "first": [0],
            "self": [i],
            "same": earlier,
            "copying": [j + 1 for j in earlier if j + 1 < i],
        }
        if measure == "entropy":
            total, queries = total - sum(w * math.log2(w) for w in row if w), queries + 1
        elif measure == "distance":
            total, queries = total + sum(w * (i - j) for j, w in enumerate(row)), queries + 1
        elif measure == "decided":
            if i and ids[i] != SPECIAL:
                total += max((row[j] for j in range(1, i + 1) if ids[j] != SPECIAL), default=0.0)
                queries += 1
        elif keys[measure]:
            total, queries = total + sum(row[j] for j in keys[measure]), queries + 1
    return total / queries if queries else None


@pytest.mark.parametrize("measure", ["entropy", "distance", "previous", "first", "self", "same", "copying", "decided"])
def test_the_spread_of_a_measure_is_that_of_a_plain_loop(measure):
    for layer in range(2):
        for head in range(2):
            each = [plain(measure, WEIGHTS[n][layer][head], TOKENS[n].tolist()) for n in range(len(TOKENS))]
            values = np.array([value for value in each if value is not None])
            expected = [values.mean(), values.std(), *np.percentile(values, [10, 50, 90])]
            got = [float(FOUND.of(measure, statistic)[layer, head]) for statistic in scan.STATISTICS]
            np.testing.assert_allclose(got, expected, atol=2e-5)  # float32 sums of 120


def test_a_measure_that_no_head_under_a_causal_mask_can_have_is_left_out():
    assert "next" not in FOUND.facts["measures"]
    unmasked = random_model(replace(CONFIG, mask="none"))
    assert "next" in scan.scan(unmasked, TOKENS).facts["measures"]


def test_the_even_spread_is_what_a_head_that_looks_at_all_alike_would_have():
    rows = [[1 / (i + 1)] * (i + 1) for i in range(T)]
    for measure in ("entropy", "same", "decided"):
        each = [plain(measure, rows, ids) for ids in TOKENS.tolist()]
        expected = np.mean([value for value in each if value])
        assert FOUND.facts["even"][measure] == pytest.approx(expected, abs=1e-5)


def test_the_effect_is_what_removing_the_head_costs_in_bits():
    def bits(edits):
        each = []
        for row in TOKENS[:3]:
            logits, _ = former.run_with_capture(MODEL, row[None], (), edits=edits)
            each.append(torch.nn.functional.cross_entropy(logits[0, :-1], row[1:]).item() / math.log(2))
        return np.array(each)

    for layer in range(2):
        for head in range(2):
            changes = bits([former.edits.ablate_head(layer, head)]) - bits([])
            assert float(FOUND.of("effect")[layer, head]) == pytest.approx(changes.mean(), abs=1e-5)
            assert float(FOUND.of("effect", "deviation")[layer, head]) == pytest.approx(changes.std(), abs=1e-5)


def test_the_examples_are_the_most_decided_stretches_and_five_of_each_tenth_below():
    assert FOUND.group.tolist() == [0] * 20 + [tenth for tenth in range(1, 11) for _ in range(5)]
    for layer in range(2):
        for head in range(2):
            scores = [plain("decided", WEIGHTS[n][layer][head], TOKENS[n].tolist()) or 0.0 for n in range(len(TOKENS))]
            ranked = sorted(scores, reverse=True)
            values = [scores[n] for n in FOUND.examples[layer, head].tolist()]
            assert values[:20] == pytest.approx(ranked[:20], abs=1e-5)
            assert len(set(FOUND.examples[layer, head].tolist())) == 70
            for tenth in range(10):  # of 100 others each tenth has 10
                part = ranked[20 + 10 * tenth : 30 + 10 * tenth]
                for score in values[20 + 5 * tenth : 25 + 5 * tenth]:
                    assert part[-1] - 1e-5 <= score <= part[0] + 1e-5


def test_an_example_holds_its_most_decided_query_and_that_querys_weights():
    for layer in range(2):
        for head in range(2):
            for example in (0, 19, 33, 69):
                n = int(FOUND.examples[layer, head, example])
                ids, rows = TOKENS[n].tolist(), WEIGHTS[n][layer][head]
                text = [i for i in range(1, T) if ids[i] != SPECIAL]
                largest = {i: max(rows[i][j] for j in text if j <= i) for i in text}
                position = int(FOUND.places[layer, head, example])
                assert largest[position] == pytest.approx(max(largest.values()), abs=1e-6)
                np.testing.assert_allclose(FOUND.rows[layer, head, example], rows[position], atol=0.5 / 255 + 1e-5)


def test_queries_and_keys_stand_in_the_plane_of_their_first_two_principal_components():
    layer, head = 1, 0
    q, k = [], []
    for n, position in zip(FOUND.examples[layer, head].tolist(), FOUND.places[layer, head].tolist(), strict=True):
        _, capture = former.run_with_capture(MODEL, TOKENS[n : n + 1], ("q", "k"))
        row = [w if j and TOKENS[n, j] != SPECIAL else 0 for j, w in enumerate(WEIGHTS[n][layer][head][position])]
        q.append(capture.get("q", layer)[0, head, position].numpy())
        k.append(capture.get("k", layer)[0, head, clear_largest(row, 1e-6)].numpy())
    both = np.concatenate([np.array(x) - np.mean(x, 0) for x in (q, k)]).astype(np.float64)
    values, vectors = np.linalg.eigh(both.T @ both)  # growing
    expected = both @ vectors[:, :-3:-1]
    got = FOUND.plane[layer, head].flatten(0, 1).numpy()
    np.testing.assert_allclose(np.abs(got), np.abs(expected), atol=1e-4)
    np.testing.assert_allclose((got[:, 0] @ got[:, 1]), 0, atol=1e-2)
    assert float(FOUND.explained[layer, head]) == pytest.approx(values[-2:].sum() / values.sum(), abs=1e-5)


@pytest.fixture
def folder(tmp_path):
    former.save(former.Bundle(MODEL, ByteTokenizer(), CONFIG), tmp_path / "model")
    return tmp_path / "model"


def test_a_scan_is_read_as_it_was_written(folder):
    assert scan.load(folder) is None
    path = scan.save(FOUND, folder)
    read = scan.load(folder)
    assert read is not None
    assert torch.equal(read.tokens[read.examples], FOUND.tokens[FOUND.examples])
    assert len(read.tokens) == len(FOUND.examples.unique()) < len(FOUND.tokens), "those with examples are kept"
    for name in ("spread", "group", "places"):
        torch.testing.assert_close(getattr(read, name), getattr(FOUND, name), rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(read.rows, FOUND.rows)
    torch.testing.assert_close(read.plane, FOUND.plane, rtol=1e-3, atol=1e-3)  # float16
    assert read.facts.items() >= FOUND.facts.items()
    assert path.stat().st_size < 100_000


def test_a_scan_of_other_weights_and_a_damaged_one_are_refused(folder):
    path = scan.save(FOUND, folder)
    card = json.loads((folder / "card.json").read_text())
    for entry in card["files"].values():
        entry["sha256"] = "0" * 64
    (folder / "card.json").write_text(json.dumps(card))
    with pytest.raises(former.CheckpointError, match="was made with other weights"):
        scan.load(folder)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(former.CheckpointError, match="is not a valid scan"):
        scan.load(folder)


def test_too_large_a_scan_is_refused_and_leaves_the_old_one(folder, monkeypatch):
    before = scan.save(FOUND, folder).read_bytes()
    monkeypatch.setattr(scan, "MOST_BYTES", 1_000)
    with pytest.raises(ValueError, match="must be at most 1,000 bytes, got"):
        scan.save(FOUND, folder)
    assert (folder / scan.FILE).read_bytes() == before


def test_too_few_stretches_are_refused():
    with pytest.raises(ValueError, match="at least 70 passages of 2 tokens, got 69 of 10"):
        scan.scan(MODEL, TOKENS[:69])


CLS, SEP = 6, 7
BERT_CONFIG = former.BertConfig(emb=16, heads=2, depth=2, num_tokens=9, seq_length=12, pad_token=None)
BERT_TOKENS = torch.cat((torch.full((120, 1), CLS), TOKENS[:, 2:], torch.full((120, 1), SEP)), 1)  # (120, T)


def bits_of_every_second(logits, ids):
    """Returns a Bert's loss on every second token of its text, in bits: logits (b, t, num_tokens) → (b,)."""
    places = torch.arange(1, T - 1, 2)
    return -logits.log_softmax(-1)[:, places, ids[places]].mean(-1) / math.log(2)


@pytest.fixture(scope="module")
def of_bert():
    """Returns a Bert with random weights, and its scan."""
    torch.manual_seed(0)
    model = former.Bert(BERT_CONFIG).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    questions = [(row[None], lambda logits, ids=row: bits_of_every_second(logits, ids)) for row in BERT_TOKENS[:3]]
    return model, scan.scan(model, BERT_TOKENS, special=(CLS, SEP), questions=questions)


def test_a_berts_heads_are_measured_both_ways_as_a_plain_loop_does(of_bert):
    model, result = of_bert
    either = ["entropy", "distance", "elsewhere", "next", "previous", "offset", "self"]
    assert result.facts["measures"] == [*either, "separator", "last", "first", "decided", "effect"]
    maps = [former.run_with_capture(model, row[None])[1].stack("weights")[:, 0].tolist() for row in BERT_TOKENS]
    for layer in range(2):
        for head in range(2):
            each = {"elsewhere": [], "separator": [], "next": [], "decided": []}
            for ids, map_ in zip(BERT_TOKENS.tolist(), maps, strict=True):
                rows = map_[layer][head]
                others = {i: [j for j in range(T) if j != i and ids[j] == ids[i]] for i in range(T)}
                having = [i for i in range(T) if others[i]]
                if having:
                    each["elsewhere"].append(sum(rows[i][j] for i in having for j in others[i]) / len(having))
                each["separator"].append(sum(row[T - 1] for row in rows) / T)
                each["next"].append(sum(rows[i][i + 1] for i in range(T - 1)) / (T - 1))
                each["decided"].append(sum(max(rows[i][1 : T - 1]) for i in range(1, T - 1)) / (T - 2))
            for measure, values in each.items():
                expected = [np.mean(values), np.std(values), *np.percentile(values, [10, 50, 90])]
                got = [float(result.of(measure, statistic)[layer, head]) for statistic in scan.STATISTICS]
                np.testing.assert_allclose(got, expected, atol=2e-5, err_msg=measure)
    assert result.facts["even"]["separator"] == pytest.approx(1 / T)


def test_a_berts_places_are_of_text_and_look_at_text(of_bert):
    model, result = of_bert
    assert int(result.places.min()) >= 1
    assert int(result.places.max()) <= T - 2
    row = int(result.examples[1, 0, 0])
    _, capture = former.run_with_capture(model, BERT_TOKENS[row : row + 1])
    weights = capture.get("weights", 1)[0, 0]
    position = int(result.places[1, 0, 0])
    check_largest(position - 1, weights[1 : T - 1, 1 : T - 1].amax(-1), 1e-6)  # float32 on both sides
    torch.testing.assert_close(result.rows[1, 0, 0], weights[position], rtol=0, atol=0.5 / 255 + 1e-5)


def test_the_effect_on_a_bert_is_what_the_questions_measure(of_bert):
    model, result = of_bert
    for layer in range(2):
        for head in range(2):
            changes = []
            for ids in BERT_TOKENS[:3]:
                without = [former.edits.ablate_head(layer, head)]
                outs = [former.run_with_capture(model, ids[None], (), edits=edits)[0] for edits in ([], without)]
                before, after = (float(bits_of_every_second(out, ids)) for out in outs)
                changes.append(after - before)
            assert float(result.of("effect")[layer, head]) == pytest.approx(np.mean(changes), abs=1e-5)


SHIPPED = [name for name in former.available() if (folder_of(name) / scan.FILE).is_file()]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_scan_is_of_the_shipped_weights(name):
    result, bundle = scan.load(name), former.load(name)
    assert result is not None
    assert (folder_of(name) / scan.FILE).stat().st_size <= 2_000_000
    assert result.facts["passages"] == 2_000
    assert result.tokens.shape == (len(result.examples.unique()), 128), "each passage that is kept has an example"
    own = {"elsewhere", "separator"} if isinstance(bundle.model, former.Bert) else {"same", "copying"}
    assert own | {"previous", "first", "self", "entropy", "distance", "effect"} <= set(result.facts["measures"])
    for layer, head, example in ((0, 0, 0), (1, 2, 25), (bundle.config.depth - 1, bundle.config.heads - 1, 69)):
        tokens = result.tokens[result.examples[layer, head, example]][None]
        _, capture = former.run_with_capture(bundle.model, tokens)
        row = capture.get("weights", layer)[0, head, result.places[layer, head, example]]
        torch.testing.assert_close(result.rows[layer, head, example], row, rtol=0, atol=0.5 / 255 + 1e-4)
