"""BERT's training data: pairs of passages with correct labels, and 15 % of the pieces selected, 80/10/10."""

import itertools
import json
import random
import re
from dataclasses import replace
from typing import Any

import pytest
import torch

import former
from former.bert import Bert, BertConfig
from former.tokens import WordPieceTokenizer
from former.training import data
from former.training.batches import generator_of
from former.training.measure.evaluate import Measure
from former.training.recipes import Recipe
from former.training.tasks import masked, pairs
from former.training.tasks.masked import MaskedTask
from former.training.tasks.pairs import FOLLOWS, IGNORED, OTHER_ARTICLE, SAME_ARTICLE, Corpus
from former.training.tasks.reviews import causal_mask

LETTERS = "abcdefgh"


def wiki(articles: int, sentences: int, seed: int = 0) -> str:
    """Writes articles whose sentences all say the article and their own number in words: "a b c d."."""
    random_ = random.Random(seed)

    def sentence(article: int, number: int) -> str:
        words = [f"n{article}", f"s{number}", *random_.choices(LETTERS, k=random_.randint(3, 9))]
        return " ".join(words).capitalize() + random_.choice([".", "?", "!"])

    return "\n\n\n".join(
        f"Title {article}\n\n" + " ".join(sentence(article, number) for number in range(sentences))
        for article in range(articles)
    )


TEXT = wiki(40, 30)
TEXTS = {name: data.split_as_text(wiki(400, 30).encode(), name) for name in ("train", "val")}
NUMBERS = [str(number) for number in range(40)]
PIECES = WordPieceTokenizer.from_vocabulary(
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "title", *NUMBERS, *LETTERS, ".", "?", "!"]
    + [f"{letter}{number}" for letter in "ns" for number in NUMBERS]
)
CORPUS = Corpus.read(TEXT, PIECES)


def drawn(count: int, room: int) -> list[tuple[list[str], list[str], int]]:
    numbers = torch.rand(count, 4, generator=generator_of(1), dtype=torch.float64).tolist()
    values = [CORPUS.pair(each, room) for each in numbers]
    return [(PIECES.labels(first.tolist()), PIECES.labels(second.tolist()), how) for first, second, how in values]


def article_of(stretch: list[str]) -> set[str]:
    return {piece for piece in stretch if piece.startswith("n")}


def sentence_of(stretch: list[str]) -> list[int]:
    return [int(piece[1:]) for piece in stretch if re.fullmatch(r"s\d+", piece)]


def test_a_corpus_is_cut_at_articles_and_sentences():
    assert len(CORPUS.articles) == 41
    assert len(CORPUS.sentences) == 40 * 30  # each begins with the title
    starts = {PIECES.labels([piece])[0][0] for piece in CORPUS.pieces[CORPUS.sentences].tolist()}
    assert starts == {"n"}
    assert len(CORPUS.pieces) == len(PIECES.pieces(TEXT))


def test_each_pair_is_what_it_says():
    for first, second, how in drawn(2_000, 40):
        assert first[-1] in ".?!0123456789" or first[0] == "title"
        assert second[0].startswith("n")
        if how == OTHER_ARTICLE:
            assert article_of(first).isdisjoint(article_of(second))
            continue
        assert len(article_of(second)) == 1
        last, next_ = sentence_of(first)[-1:], sentence_of(second)
        if how == FOLLOWS:
            assert not last or next_[0] == last[0] + 1
        else:
            assert article_of(first) <= article_of(second)
            assert set(sentence_of(first)).isdisjoint(next_)
            assert not last or next_[0] != last[0] + 1


def test_pairs_come_in_their_shares_and_fill_their_room():
    result = drawn(4_000, 40)
    share = {how: sum(each == how for *_, each in result) / 4_000 for how in range(3)}
    assert share[FOLLOWS] == pytest.approx(0.5, abs=0.03)  # 0.03 is four standard deviations
    assert share[OTHER_ARTICLE] == pytest.approx(0.25, abs=0.03)
    assert share[SAME_ARTICLE] == pytest.approx(0.25, abs=0.03)
    lengths = [len(first) + len(second) for first, second, _ in result]
    assert max(lengths) == 40
    assert sum(length == 40 for length in lengths) > 3_000


def test_where_an_article_is_short_the_other_stretch_comes_from_another():
    corpus = Corpus.read(wiki(5, 2), PIECES)
    kinds = {corpus.pair([where / 10, 0.5, 0.9, 0.5], 40)[2] for where in range(10)}
    assert kinds == {OTHER_ARTICLE}


def test_rows_are_framed_and_segmented_as_the_tokenizer_does():
    rows = pairs.rows(CORPUS, PIECES, 20, 43, generator_of(2))
    remaining = rows.tokens.gather(1, rows.places)
    tokens = rows.tokens.scatter(1, rows.places, torch.where(rows.targets == IGNORED, remaining, rows.targets))
    for row, segments in zip(tokens.tolist(), rows.segments.tolist(), strict=True):
        real = [i for i in row if i != PIECES.pad_token]
        first, second, end = (part.split() for part in " ".join(PIECES.labels(real)).split("[SEP]"))
        assert not end
        ids, expected = PIECES.encode_pair(" ".join(first[1:]), " ".join(second))
        assert (real, segments[: len(real)]) == (ids, expected)


def test_fifteen_percent_are_chosen_and_hidden_eighty_ten_ten():
    random_ = torch.Generator().manual_seed(0)
    tokens = torch.randint(5, PIECES.num_tokens, (500, 100), generator=random_)
    tokens[:, 0], tokens[:, -1] = PIECES.cls_token, PIECES.sep_token
    tokens[:250, 60:] = PIECES.pad_token
    hidden, places, targets = pairs.hide(tokens, PIECES, random_)
    counted = targets != IGNORED
    assert counted[:250].sum(1).unique().tolist() == [9]  # 15 % of 59
    assert counted[250:].sum(1).unique().tolist() == [15]  # of 98, rounded
    assert torch.equal(tokens.gather(1, places)[counted], targets[counted])
    assert (targets[counted] >= 5).all()
    actual = hidden.gather(1, places)[counted]
    share = (actual == PIECES.mask_token).float().mean()
    same = (actual == targets[counted]).float().mean()
    assert share == pytest.approx(0.8, abs=0.02)
    assert same == pytest.approx(0.1 + 0.1 / PIECES.num_tokens, abs=0.02)
    elsewhere = torch.ones_like(tokens, dtype=torch.bool).scatter(1, places, False)
    assert torch.equal(hidden[elsewhere], tokens[elsewhere])
    assert len(places[0].unique()) == places.shape[1]


def test_a_text_of_one_article_is_refused():
    with pytest.raises(ValueError, match="two articles of two sentences"):
        Corpus.read("Title\n\nOne sentence. Another one.", PIECES)
    with pytest.raises(ValueError, match="two articles of two sentences"):
        Corpus.read("", PIECES)


class Knowing:
    """A model that reads the answers from its inputs, so that its figures must be perfect."""

    def __init__(self, rows: list[pairs.Rows], right: bool) -> None:
        self.rows, self.right = iter(rows), right

    def parameters(self):
        return iter([torch.zeros(())])

    def encode(self, tokens, segments, mask=None):
        del segments, mask
        self.row = next(self.rows)
        assert torch.equal(tokens, self.row.tokens)
        return torch.zeros(*tokens.shape, 4)

    def unembed(self, _):
        text = self.row.targets.clamp(min=0) if self.right else torch.zeros_like(self.row.targets)
        return torch.nn.functional.one_hot(text, PIECES.num_tokens).float()

    def next_sentence_logits(self, _):
        no = (self.row.belongs != FOLLOWS).long()
        return torch.nn.functional.one_hot(no if self.right else torch.zeros_like(no), 2).float()


@pytest.mark.parametrize("right", [True, False])
def test_a_model_that_knows_is_right_and_one_that_does_not_is_at_chance(right):
    random_ = generator_of(0)
    rows = [pairs.rows(CORPUS, PIECES, 32, 43, random_) for _ in range(4)]
    result = masked.figures(Knowing(rows, right), CORPUS, PIECES, 43, 128)
    assert result["masked_accuracy"] == (1.0 if right else 0.0)
    assert result["next_sentence_other"] == result["next_sentence_same"] == (1.0 if right else 0.5)
    assert 0 < result["commonest"] < 0.3


def recipe(**changes: Any) -> Recipe:
    shape = BertConfig(num_tokens=PIECES.num_tokens, emb=32, heads=4, depth=2, seq_length=64, dropout=0.0)
    own: dict[str, Any] = {"steps": 40, "batch": 8, "warmup": 5, "compile": False, "precision": "fp32"}
    return Recipe(name="bert", kind="Bert", task="masked", model=shape, **{**own, **changes})


ORIGIN = data.Origin(file="text", sha256="", unchecked=True)


@pytest.fixture(scope="module")
def task() -> MaskedTask:
    return MaskedTask(TEXTS, recipe(), ORIGIN, PIECES)


def test_a_batch_depends_on_the_step_alone_and_short_rows_come_first(task):
    longer, shapes = task.recipe.steps * 2 // 3, []
    for step in (0, longer - 1, *range(longer, longer + 4)):
        batch, repeated = task.batch(step), task.batch(step)
        assert all(torch.equal(one, other) for one, other in zip(batch, repeated, strict=True))
        shapes.append(tuple(batch[0].shape))
    assert shapes[:2] == [(32, 16)] * 2
    assert sorted(shapes[2:]) == [(8, 64), *[(16, 32)] * 3]
    assert not torch.equal(task.batch(0)[0], task.batch(4)[0])
    going_on = MaskedTask(TEXTS, recipe(short=0.0), ORIGIN, PIECES)
    assert sorted(tuple(going_on.batch(step)[0].shape) for step in range(4)) == sorted(shapes[2:])


def test_both_tasks_teach_the_stack_and_their_heads(task):
    torch.manual_seed(0)
    model = Bert(task.recipe.model)
    task.loss(model, *task.batch(3)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name


def test_short_texts_teach_every_position(task):
    model = Bert(task.recipe.model)
    task.loss(model, *task.batch(0)).sum().backward()
    gradient = model.get_parameter("transformer.positions.embedding.weight").grad
    assert gradient is not None
    assert gradient.any(1).all()


def test_a_step_of_two_halves_has_the_gradient_of_the_whole(task):
    """Rows of one length select the same number of pieces, except the few that end with an article."""
    torch.manual_seed(0)
    model = Bert(task.recipe.model)
    tokens, *rest = task.batch(3)
    full = (tokens != PIECES.pad_token).all(1)
    batch = [each[full][:8] for each in (tokens, *rest)]
    whole = task.loss(model, *batch)
    halves = [task.loss(model, *(each[part] for each in batch)) for part in (slice(4), slice(4, 8))]
    torch.testing.assert_close(whole, (halves[0] + halves[1]) / 2)


def test_a_short_training_learns_which_words_there_are(task):
    torch.manual_seed(0)
    model = Bert(task.recipe.model)
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    losses = []
    for step in range(60):
        loss = task.loss(model, *task.batch(step)).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert sum(losses[-10:]) < 0.7 * sum(losses[:10])
    assert 0.0 <= task.validate(model.eval()) <= 1.0


def test_a_text_of_ones_own_has_a_vocabulary_of_its_own():
    task = MaskedTask(TEXTS, recipe(), ORIGIN)
    assert task.recipe.model.num_tokens == task.tokenizer.num_tokens <= PIECES.num_tokens
    assert len(task.train.pieces) > 10 * len(task.val.pieces)


def test_each_review_is_an_article_read_in_the_pieces_of_the_weights_that_it_goes_on_from(tmp_path):
    torch.manual_seed(0)
    former.save(former.Bundle(Bert(recipe().model), PIECES, recipe().model), tmp_path / "begun")
    path = tmp_path / "reviews.jsonl"
    reviews = [wiki(1, 3, seed).split("\n\n")[1] for seed in range(20)]
    rows = [{"split": split, "label": 0, "text": text} for split in ("train", "val", "test") for text in reviews]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = recipe(corpus="imdb", weights=str(tmp_path / "begun"))
    task = MaskedTask.open(settings, path, unchecked=True, folder=tmp_path)
    assert task.tokenizer.to_dict() == PIECES.to_dict()
    read = [task.train.pieces[begin:end].tolist() for begin, end in itertools.pairwise(task.train.articles.tolist())]
    assert read == [PIECES.pieces(review) for review in reviews]
    other = replace(settings, weights="")
    assert MaskedTask.open(other, path, unchecked=True, folder=tmp_path).tokenizer.to_dict() != PIECES.to_dict()
    result = MaskedTask.evaluate(
        former.load(tmp_path / "begun"), task.recipe, path, Measure(split="test", unchecked=True)
    )
    assert 0.0 <= result["masked_accuracy"] < 0.2  # untrained: one piece of 94, or near it


def test_the_figures_of_a_split_are_taken_from_a_file(task, tmp_path):
    path = tmp_path / "text"
    path.write_bytes(wiki(400, 30).encode())
    torch.manual_seed(0)
    bundle = former.Bundle(Bert(task.recipe.model).eval(), PIECES, task.recipe.model)
    result = MaskedTask.evaluate(bundle, task.recipe, path, Measure(split="val", precision="fp32", unchecked=True))
    assert result["rows"] == masked.VALIDATION_ROWS
    assert result["context"] == 64
    assert 0.0 <= result["masked_accuracy"] < 0.1  # untrained: one piece of 94, or near it
    wrong = former.Bundle(former.Generator(former.ModelConfig(depth=1)), former.tokens.ByteTokenizer(), None)
    with pytest.raises(ValueError, match="bundle must hold a Bert and its WordPiece, got Generator"):
        MaskedTask.evaluate(wrong, task.recipe, path, Measure(split="val"))


def test_the_causal_control_is_trained_and_measured_under_its_mask(monkeypatch):
    control = MaskedTask(TEXTS, recipe(causal=True), ORIGIN, PIECES)
    model = Bert(control.recipe.model).eval()
    tokens, places, targets, segments, belongs = control.batch(0)
    masks = []

    def transformer(x: torch.Tensor, mask: torch.Tensor, *args: Any, **options: Any) -> torch.Tensor:
        masks.append(mask)
        return forward(x, mask, *args, **options)

    forward = model.transformer.forward
    monkeypatch.setattr(model.transformer, "forward", transformer)
    control.loss(model, tokens, places, targets, segments, belongs)
    control.validate(model)
    assert len(masks) > 1
    for mask in masks:  # (b, 1, t, t), without padding
        assert not (mask & ~causal_mask(mask.shape[-1])).any()
