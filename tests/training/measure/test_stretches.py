"""The passages that a scan reads, and the command that runs a scan."""

import math

import numpy as np
import pytest
import torch

import former
from former.analysis import scan
from former.tokens import ByteTokenizer
from former.tokens.wordpiece import WordPieceTokenizer
from former.training.__main__ import main
from former.training.batches import generator_of
from former.training.measure import stretches
from former.training.tasks.pairs import hide
from tests.training.conftest import TINY

ARTICLE = "The cat sat on the mat. The dog did not! Was it so?\nIt was. "
TEXT = "\n\n\n".join(ARTICLE * 30 for _ in range(6))
PIECES = WordPieceTokenizer.train([TEXT], 60)


def test_a_stretch_begins_with_a_sentence_and_stays_in_its_article():
    values = [bytes(ids).decode() for ids in stretches.stretches(TEXT, ByteTokenizer(), 40, 50)]
    assert len(values) == 40
    for stretch in values:
        assert len(stretch) == 50
        assert stretch.startswith(("The cat", "The dog", "Was it", "It was"))
        assert "\n\n\n" not in stretch


def test_stretches_are_spread_over_the_whole_text():
    text = "".join(f"Here is the sentence of number {number:04d}. " for number in range(1_000))
    values = [bytes(ids).decode() for ids in stretches.stretches(text, ByteTokenizer(), 100, 60)]
    numbers = [int(stretch.partition("number ")[2][:4]) for stretch in values]
    assert numbers == [1 + 10 * i for i in range(100)]


def test_berts_stretches_stand_between_its_signs():
    values = list(stretches.stretches(TEXT, PIECES, 10, 12))
    for ids in values:
        assert (len(ids), ids[0], ids[-1]) == (12, PIECES.cls_token, PIECES.sep_token)
        assert PIECES.cls_token not in ids[1:]
    assert PIECES.decode(values[0]).startswith("the dog did not!")


def test_a_text_with_fewer_stretches_is_refused():
    with pytest.raises(ValueError, match="must hold 5 passages of 50 tokens, got 0"):
        list(stretches.stretches("Too short. It is.", ByteTokenizer(), 5, 50))


def test_a_berts_question_counts_the_bits_of_the_hidden_pieces():
    tokens = torch.tensor(list(stretches.stretches(TEXT, PIECES, 4, 20)))
    for row, (shown, measure) in zip(tokens, stretches.questions(tokens, PIECES), strict=True):
        assert measure is not None
        changed = (shown[0] != row).nonzero()[:, 0].tolist()
        assert 1 <= len(changed) <= 3  # 15 % of 18 are 3, some of which may remain unchanged
        sure = torch.zeros(2, 20, PIECES.num_tokens)
        assert measure(sure).tolist() == pytest.approx([math.log2(PIECES.num_tokens)] * 2, abs=1e-5)
        sure[1, range(20), row] = 50.0  # the second sequence says every piece rightly
        assert float(measure(sure)[1]) == pytest.approx(0.0, abs=1e-5)


def test_the_command_scans_a_model_of_ones_own_and_keeps_what_it_found_beside_the_weights(tmp_path, capsys):
    path, run = tmp_path / "text.txt", tmp_path / "notes"
    path.write_text("".join(f"Line {i}: {i * i} is the square of {i}. So it is.\n" for i in range(6_000)))
    train = ["train", "tiny-generator", "--name", "notes", "--data", str(path), "--device", "cpu", "--out", str(run)]
    assert main([*train, "--set", *TINY]) == 0
    capsys.readouterr()
    options = ["--data", str(path), "--count", "80", "--length", "24", "--removals", "2"]
    assert main(["scan", str(run), *options]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].split()[:3] == ["layer", "head", "entropy"]
    assert text[-1] == str(run / scan.FILE)
    result = scan.load(run)
    assert result is not None
    assert result.tokens.shape == (80, 24)
    assert result.facts["removals"] == 2
    assert result.facts["measures"][-2:] == ["decided", "effect"]
    _, capture = former.run_with_capture(former.load(run).model, result.tokens)
    shares = capture.stack("weights")[..., 0].mean((1, -1))  # (layers, h), of the first token
    torch.testing.assert_close(result.of("first"), shares, rtol=0, atol=1e-5)


def test_the_command_scans_a_bert_and_removes_its_heads_on_hidden_pieces(tmp_path, capsys):
    path, folder = tmp_path / "text.txt", tmp_path / "model"
    path.write_text(TEXT * 30)
    config = former.BertConfig(emb=16, heads=2, depth=2, num_tokens=PIECES.num_tokens, seq_length=24)
    torch.manual_seed(0)
    bert = former.Bert(config).eval()
    for parameter in bert.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    former.save(former.Bundle(bert, PIECES, config), folder)
    options = ["--data", str(path), "--unchecked", "--count", "80", "--length", "20", "--removals", "2"]
    assert main(["scan", str(folder), *options]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(folder / scan.FILE)
    result = scan.load(folder)
    assert result is not None
    assert result.tokens.shape == (80, 20)
    model = former.load(folder).model
    _, capture = former.run_with_capture(model, result.tokens)
    ends = capture.stack("weights")[..., -1].mean((1, -1))  # (layers, h), of [SEP]
    torch.testing.assert_close(result.of("separator"), ends, rtol=0, atol=1e-5)

    def bits(edits):  # of the pieces hidden behind [MASK] and the few others to be predicted
        each = []
        for number, row in enumerate(result.tokens[:2]):
            shown, places, said = hide(row[None], PIECES, generator_of(0, number))
            logits, _ = former.run_with_capture(model, shown, (), edits=edits)
            requests = [
                (at, piece) for at, piece in zip(places[0].tolist(), said[0].tolist(), strict=True) if piece >= 0
            ]
            assert [piece for _, piece in requests] == row[[at for at, _ in requests]].tolist()
            each.append(np.mean([-logits[0, at].log_softmax(-1)[piece].item() / math.log(2) for at, piece in requests]))
        return np.mean(each)

    for layer, head in ((0, 1), (1, 0)):
        cost = bits([former.edits.ablate_head(layer, head)]) - bits([])
        assert float(result.of("effect")[layer, head]) == pytest.approx(cost, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--count", "0"], "count must be"),
        (["--count", "80", "--removals", "81"], "removals must be in [0, 80]"),
        (["--count", "9999999"], "must hold 9999999 passages"),
    ],
)
def test_a_number_out_of_its_range_is_refused(options, message, tmp_path, capsys, text_file):
    bundle = former.Bundle(former.Generator(former.ModelConfig(emb=16, heads=2, depth=1)), ByteTokenizer(), None)
    former.save(bundle, tmp_path / "model")
    assert main(["scan", str(tmp_path / "model"), "--data", str(text_file), "--unchecked", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_model_of_another_kind_is_refused(capsys, reviews_file):
    assert main(["scan", "classifier", "--data", str(reviews_file)]) == 2
    assert "NAME must be a generator or a BERT" in capsys.readouterr().err
