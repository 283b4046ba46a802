"""Corpora: read plain or compressed; errors say what to do."""

import io
import json
import lzma
import tarfile
import zipfile

import pytest
import torch

import former
from former.tokens import WordPieceTokenizer
from former.tokens.words import PAD_ID, UNK_ID
from former.training import data
from former.training.__main__ import main
from former.training.batches import last_words
from former.training.init_weights import make_model
from former.training.tasks import make_task
from former.training.tasks.reviews import ReviewTask
from former.training.tasks.text import TextTask, plant_repeats

LABELS = ("classifier", "model.num_tokens=11", "pieces=0", "teacher=0", "words=0")  # whole reviews, their labels


def test_a_missing_corpus_says_where_it_can_be_had(tmp_path, capsys):
    assert main(["train", "generator", "--data", str(tmp_path / "none.xz"), "--out", str(tmp_path / "run")]) == 2
    message = capsys.readouterr().err
    assert "none.xz" in message
    assert "https://mattmahoney.net/dc/enwik8.zip" in message
    assert not (tmp_path / "run").exists()


def test_a_wrong_corpus_says_its_hash_and_what_to_do(text_file):
    with pytest.raises(ValueError, match=r"not a known copy of wiki100.*sha256.*--unchecked"):
        data.load_text(text_file, "wiki100")


def test_an_empty_file_and_a_missing_one_are_named(tmp_path):
    empty = tmp_path / "empty.txt"
    empty.touch()
    with pytest.raises(ValueError, match=r"--data must be a file to learn from, got an empty one, .*empty\.txt"):
        data.load_text(empty, "wiki100", unchecked=True)
    with pytest.raises(ValueError, match=r"--data must be a file of your own, or .*no file at .*notes\.txt"):
        data.load_text(tmp_path / "notes.txt", "wiki100", unchecked=True)


def test_a_damaged_archive_is_refused(text_file, tmp_path):
    packed = tmp_path / "text.xz"
    packed.write_bytes(lzma.compress(text_file.read_bytes())[:-100])
    with pytest.raises(ValueError, match=r"text\.xz is damaged.*download it again"):
        data.load_text(packed, "wiki100", unchecked=True)


@pytest.mark.parametrize(
    "line",
    [
        '{"split": "train"}',
        "not JSON",
        "[1]",
        '{"split": "odd", "label": 0, "text": ""}',
        '{"split": "train", "label": null, "text": ""}',
        '{"split": "train", "label": 7, "text": ""}',
        '{"split": "train", "label": 0, "text": null}',
    ],
)
def test_reviews_of_another_form_are_refused_by_file_and_line(line, tmp_path):
    path = tmp_path / "reviews.jsonl"
    path.write_text('{"split": "train", "label": 0, "text": "good"}\n' + line + "\n")
    with pytest.raises(ValueError, match=r"reviews\.jsonl.*one JSON object.* may say split.*line 2 is"):
        data.load_reviews(path, "imdb", unchecked=True)


@pytest.mark.parametrize("damage", ["cut short", "no zip"])
def test_a_damaged_zip_is_refused(damage, text_file, tmp_path):
    path = tmp_path / "text.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("text", text_file.read_bytes())
    path.write_bytes(path.read_bytes()[:-50] if damage == "cut short" else b"PK\x03\x04 and nothing more")
    with pytest.raises(ValueError, match=r"text\.zip is damaged.*download it again"):
        data.load_text(path, "wiki100", unchecked=True)


@pytest.mark.parametrize("damage", ["cut short", "no gzip"])
def test_a_damaged_archive_of_reviews_is_refused(damage, tmp_path):
    path = tmp_path / "reviews.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("aclImdb/train/pos/0_9.txt")
        member.size = 20_000
        archive.addfile(member, io.BytesIO(torch.randint(256, (20_000,)).to(torch.uint8).numpy().tobytes()))
    path.write_bytes(path.read_bytes()[:10_000] if damage == "cut short" else b"nothing")
    with pytest.raises(ValueError, match=r"reviews\.tar\.gz is damaged.*download it again"):
        data.load_reviews(path, "imdb", unchecked=True)


@pytest.mark.parametrize(("missing", "message"), [("train", "batch must be at most the 0"), ("val", "val split must")])
def test_an_empty_split_is_refused(missing, message, recipe, reviews_file):
    remaining = [line for line in reviews_file.read_text().splitlines() if json.loads(line)["split"] != missing]
    reviews_file.write_text("\n".join(remaining))
    with pytest.raises(ValueError, match=message):
        make_task(recipe(*LABELS), reviews_file, unchecked=True)


def test_an_unreachable_home_says_to_give_a_file(tmp_path, monkeypatch):
    def refuse(_url, _path):
        raise OSError("no network")

    monkeypatch.setattr(data.urllib.request, "urlretrieve", refuse)
    with pytest.raises(ValueError, match=r"ai\.stanford\.edu.*--data PATH"):
        data.download("imdb", tmp_path)


def test_a_corpus_is_fetched_once(tmp_path, monkeypatch):
    fetched = []

    def fetch(url, path):
        fetched.append(url)
        path.write_bytes(b"content")

    monkeypatch.setattr(data.urllib.request, "urlretrieve", fetch)
    paths = {data.download("wiki100", tmp_path) for _ in range(2)}
    assert fetched == ["https://mattmahoney.net/dc/enwik8.zip"]
    assert [path.read_bytes() for path in paths] == [b"content"]


def test_two_processes_that_fetch_a_corpus_at_once_do_not_write_one_file(tmp_path, monkeypatch):
    def other(_url, path):
        path.write_bytes(b"other")

    def slow(_url, path):
        path.write_bytes(b"half")
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: -1)
            patch.setattr(data.urllib.request, "urlretrieve", other)
            data.download("wiki100", tmp_path)
        assert path.read_bytes() == b"half"
        path.write_bytes(b"whole")

    monkeypatch.setattr(data.urllib.request, "urlretrieve", slow)
    assert data.download("wiki100", tmp_path).read_bytes() == b"whole"
    assert [path.name for path in tmp_path.iterdir()] == ["enwik8.zip"]


def test_a_text_reads_the_same_plain_packed_and_zipped(text_file, tmp_path):
    content = text_file.read_bytes()
    (tmp_path / "text.xz").write_bytes(lzma.compress(content))
    with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
        archive.writestr("text", content)
    for name in ("text.txt", "text.xz", "text.zip"):
        assert data.load_text(tmp_path / name, "wiki100", unchecked=True) == content


def test_text_is_split_90_5_5():
    assert data.split_text(bytes(200)) == {"train": (0, 180), "val": (180, 190), "test": (190, 200)}


def test_the_public_archive_of_reviews_is_read_with_a_validation_split(tmp_path):
    path = tmp_path / "aclImdb_v1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("train/pos/0_9", "train/neg/1_2", "test/neg/5_1", "train/unsup/0_0"):
            content = f"text of {name}".encode()
            member = tarfile.TarInfo(f"aclImdb/{name}.txt")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    splits = data.load_reviews(path, "imdb", unchecked=True)
    assert splits == {
        "train": [data.Review("text of train/neg/1_2", 0)],
        "val": [data.Review("text of train/pos/0_9", 1)],
        "test": [data.Review("text of test/neg/5_1", 0)],
    }


def test_a_text_batch_holds_the_byte_after_each_and_depends_on_the_step_alone(recipe, text_file):
    task = make_task(recipe(), text_file, unchecked=True)
    inputs, targets = task.batch(3)
    assert inputs.shape == targets.shape == (8, 32)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    train = text_file.read_bytes()[: len(text_file.read_bytes()) * 9 // 10]
    assert all(bytes([*row.tolist(), int(last)]) in train for row, last in zip(inputs, targets[:, -1], strict=True))
    assert torch.equal(task.batch(3)[0], inputs)
    assert not torch.equal(task.batch(4)[0], inputs)


def test_an_epoch_holds_every_review_once(recipe, reviews_file):
    plain = recipe(*LABELS, "word_dropout=0")
    task = make_task(plain, reviews_file, unchecked=True)
    epochs = [[tuple(row) for step in range(n, n + 6) for row in task.batch(step)[0].tolist()] for n in (0, 6)]
    assert [len(epoch) for epoch in epochs] == [48, 48]
    assert epochs[0] != epochs[1]
    assert sorted(map(str, epochs[0])) == sorted(map(str, epochs[1]))


def test_the_rest_of_an_epoch_is_an_odd_one_and_not_the_longest_reviews(recipe, tmp_path):
    path = tmp_path / "reviews.jsonl"
    rows = [{"split": "train", "label": i % 2, "text": "the " * (i + 1)} for i in range(61)]
    rows.append(rows[0] | {"split": "val"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plain = recipe(*LABELS, "model.num_tokens=3", "word_dropout=0", "model.seq_length=64")
    task = make_task(plain, path, unchecked=True)
    epochs = [torch.cat([task.batch(step)[0] for step in range(n, n + 7)]) for n in range(0, 70, 7)]
    lengths = [(epoch != PAD_ID).sum(1).tolist() for epoch in epochs]
    assert all(len(set(epoch)) == 56 for epoch in lengths)
    assert set().union(*lengths) == set(range(1, 62))


def test_word_dropout_hides_its_share_of_words_and_no_padding(recipe, reviews_file):
    plain = make_task(recipe(*LABELS, "word_dropout=0"), reviews_file, unchecked=True)
    dropping = make_task(recipe(*LABELS, "word_dropout=0.5"), reviews_file, unchecked=True)
    whole = torch.cat([plain.batch(step)[0] for step in range(12)])
    hidden = torch.cat([dropping.batch(step)[0] for step in range(12)])
    assert torch.equal(whole == PAD_ID, hidden == PAD_ID)
    words = whole > UNK_ID
    assert float((hidden[words] == UNK_ID).float().mean()) == pytest.approx(0.5, abs=0.1)
    assert torch.equal(hidden[words & (hidden != UNK_ID)], whole[words & (hidden != UNK_ID)])


def test_pieces_are_words_in_a_row_and_their_target_is_the_teachers_opinion_of_them(recipe, reviews_file):
    settings = ("classifier", "model.num_tokens=11", "pieces=1", "words=0", "word_dropout=0")
    origin = data.origin(reviews_file, unchecked=True)
    task = ReviewTask(data.load_reviews(reviews_file, "imdb", unchecked=True), recipe(*settings), origin)
    reviews = [ids for ids, _ in task.splits["train"]]
    inputs, targets = task.batch(5)
    assert len(inputs) == len(targets) == 4 * 8
    for row, target in zip(inputs.tolist(), targets.tolist(), strict=True):
        ids = [token for token in row if token != PAD_ID]
        opinions = {
            task.opinions[i].piece(first, len(ids)).positive()
            for i, review in enumerate(reviews)
            for first in range(len(review) - len(ids) + 1)
            if review[first : first + len(ids)] == ids
        }
        assert any(target == pytest.approx(opinion) for opinion in opinions)


def test_pieces_have_a_quarter_to_all_of_64_words(recipe, tmp_path):
    path = tmp_path / "long.jsonl"
    rows = [{"split": split, "label": i % 2, "text": "word " * 300} for split in data.SPLITS for i in range(8)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = ("classifier", "model.num_tokens=11", "model.seq_length=512", "pieces=1", "batch=8")
    task = make_task(recipe(*settings), path, unchecked=True)
    lengths = torch.cat([(task.batch(step)[0] != PAD_ID).sum(1) for step in range(30)])
    assert lengths.min() == 16
    assert lengths.max() == 63
    assert 38 < lengths.float().mean() < 42


def test_a_share_of_the_steps_is_of_pieces_and_a_batch_depends_on_the_step_alone(recipe, reviews_file):
    settings = ("classifier", "model.num_tokens=11", "pieces=0.5", "teacher=0.5", "words=0")
    task, repeated = (make_task(recipe(*settings), reviews_file, unchecked=True) for _ in range(2))
    repeated.batch(0)
    batches = [task.batch(step) for step in range(100)]
    assert 35 <= sum(len(inputs) == 32 for inputs, _ in batches) <= 65
    for there, here in zip(batches[5], repeated.batch(5), strict=True):
        assert torch.equal(there, here)


def test_a_whole_reviews_target_lies_between_its_label_and_the_teachers_opinion(recipe, reviews_file):
    plain, half, all_ = (
        make_task(recipe(*LABELS, f"teacher={share}"), reviews_file, unchecked=True) for share in (0, 0.5, 1)
    )
    labels, between, opinions = (task.batch(2)[1] for task in (plain, half, all_))
    assert set(labels.tolist()) == {0.0, 1.0}
    assert 0 < opinions.min() < opinions.max() < 1
    assert torch.allclose(between, (labels + opinions) / 2)


def test_the_quick_figure_of_a_very_long_text_stays_within_it(recipe):
    """From 2^24 on, float32 cannot represent every whole number, and would round the last window past the end."""
    length = 900_000_023  # the last window begins at 899,999,990, for float32 900,000,000
    text = torch.zeros(1, dtype=torch.uint8).expand(length)  # one byte of memory
    origin: data.Origin = {"file": "long.txt", "sha256": "", "unchecked": True}
    task = TextTask(text[:64], text, recipe(), origin)
    read = []

    class Model(torch.nn.Linear):
        def forward(self, input, **_):
            read.append(input)
            return torch.zeros(*input.shape, 256)

    assert task.validate(Model(1, 1)) == pytest.approx(8)
    assert sum(map(len, read)) == 128


def test_an_epochs_order_is_made_once(recipe, reviews_file, monkeypatch):
    task = ReviewTask.open(recipe(*LABELS), reviews_file, unchecked=True)
    values = []
    monkeypatch.setattr(task, "_order", lambda epoch, order=task._order: values.append(epoch) or order(epoch))
    for step in (0, 1, 5, 6, 7, 11):  # 6 batches an epoch
        task.batch(step)
    assert values == [0, 1]


def test_reviews_without_a_split_are_shared_out(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps({"label": i % 2, "text": f"review {i}"}) + "\n" for i in range(40)))
    splits = data.load_reviews(path, "imdb", unchecked=True)
    assert {name: len(reviews) for name, reviews in splits.items()} == {"train": 36, "val": 2, "test": 2}
    assert len({review.text for reviews in splits.values() for review in reviews}) == 40


def test_a_share_of_windows_are_random_letters_that_come_again():
    random = torch.Generator().manual_seed(0)
    windows = torch.zeros(400, 257, dtype=torch.long)
    plant_repeats(windows, 0.25, random)
    planted = windows[windows.any(1)]
    assert 0.18 < len(planted) / 400 < 0.32  # three standard deviations
    assert set(planted.unique().tolist()) == set(range(ord("a"), ord("z") + 1))
    periods = [next(n for n in range(1, 257) if torch.equal(row[n:], row[:-n])) for row in planted]
    assert 16 <= min(periods) < 24
    assert 88 < max(periods) <= 257 * 3 // 8
    assert len(planted[:, :16].unique(dim=0)) == len(planted)


def test_a_recipe_with_repeats_reads_them_and_is_asked_what_follows(recipe, text_file):
    plain, planted = (make_task(recipe("tiny-generator", f"repeats={share}"), text_file, True) for share in (0, 1))
    inputs, targets = planted.batch(2)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    assert not torch.equal(inputs, plain.batch(2)[0])
    assert torch.equal(inputs, planted.batch(2)[0])


@pytest.fixture
def bert(tmp_path):
    """Saves a small BERT and its tokenizer in a folder."""
    tokenizer = WordPieceTokenizer.train(["a good warm film, the bad dull film!"] * 3, 60)
    shape = {"emb": 16, "heads": 2, "depth": 2, "seq_length": 32, "dropout": 0.0}
    model = former.Bert(former.BertConfig(num_tokens=tokenizer.num_tokens, **shape)).eval()
    former.save(former.Bundle(model, tokenizer, model.config), tmp_path / "bert")
    return tmp_path / "bert", tokenizer


def test_a_bert_reads_reviews_in_the_pieces_of_the_weights_it_begins_with(bert, recipe, reviews_file):
    folder, tokenizer = bert
    settings = ("bert-reviews", f"weights={folder}", "model.depth=2", "words=0")
    task = make_task(recipe(*settings), reviews_file, unchecked=True)
    assert task.tokenizer.to_dict() == tokenizer.to_dict()
    inputs, _ = task.batch(0)
    assert (inputs[:, 0] == tokenizer.cls_token).all()
    assert ((inputs == tokenizer.sep_token).sum(1) == 1).all()
    model, pretrained = make_model(task.recipe), former.load(folder).model.state_dict()
    for name, weight in model.state_dict().items():
        assert name.startswith("toprobs.") or torch.equal(weight, pretrained[name]), name
    assert not model.toprobs.weight.any()  # as it was initialised
    control = make_task(recipe(*settings, "weights=", "model.num_tokens=40"), reviews_file, unchecked=True)
    assert control.tokenizer.num_tokens <= 40
    assert control.tokenizer.to_dict() != tokenizer.to_dict()


def test_a_review_too_long_keeps_its_end_between_the_two_tokens_that_bert_knows(bert):
    _, tokenizer = bert
    ids = tokenizer.encode("the bad film " * 20 + "good!")
    remaining = last_words(tokenizer, "the bad film " * 20 + "good!", 10)
    assert remaining == [tokenizer.cls_token, *ids[-9:]]
    assert last_words(tokenizer, "good!", 10) == tokenizer.encode("good!")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["curve", "dates"], "corpus must be one that is read from a file"),
        (
            ["train", "tiny-generator", "--set", "corpus=dates"],
            "corpus must be one that is read from a file, got 'dates'",
        ),
        (["train", "dates", "--profile-memory"], "kind must be one of 'Generator', 'Classifier', got 'EncoderDecoder'"),
    ],
)
def test_what_a_command_cannot_read_or_measure_is_said_in_one_line(words, said, tmp_path, capsys):
    out = ["--out", str(tmp_path / "run")] if words[0] == "train" else []
    data = [] if "--profile-memory" in words else ["--data", str(tmp_path / "none.txt")]
    assert main([*words, *data, *out]) == 2
    assert said in capsys.readouterr().err
