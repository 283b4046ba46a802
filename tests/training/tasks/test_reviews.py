"""Fine-tuning a BERT on reviews, and the same under a causal mask, as a control."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from former import masks
from former.bert import BertClassifier, BertConfig
from former.hooks import Capture
from former.models import Classifier
from former.training import data
from former.training.measure.evaluate import Measure
from former.training.tasks import make_task
from former.training.tasks.reviews import ReviewTask, causal

SIZES = ("bert-reviews", "weights=", "batch=8", "model.num_tokens=60", "model.depth=2", "model.seq_length=24")
SHAPE = (*SIZES, "words=0")
SMALL = (*SHAPE, "pieces=0", "teacher=0")  # whole reviews and their labels


def small_bert() -> BertClassifier:
    torch.manual_seed(0)
    return BertClassifier(BertConfig(num_tokens=60, emb=16, heads=2, depth=2, seq_length=24, dropout=0.0)).eval()


def test_under_a_causal_mask_only_the_first_token_sees_what_comes_later():
    model, tokens, seen = small_bert(), torch.randint(1, 60, (3, 9)), Capture(["weights"])
    causal(model)(tokens, observer=seen)
    weights = seen.stack("weights")  # (layers, b, h, t, t)
    assert (weights[..., 0, :] > 0).all()
    assert (weights[..., 1:, 0] == 0).all()
    for query in range(1, 9):
        assert (weights[..., query, 1 : query + 1] > 0).all()
        assert (weights[..., query, query + 1 :] == 0).all()


def test_the_causal_control_is_trained_validated_and_measured_under_its_mask(recipe, reviews_file):
    plain, control = (make_task(recipe(*SMALL, *more), reviews_file, unchecked=True) for more in ((), ("causal=True",)))
    model = BertClassifier(control.recipe.model).eval()
    tokens, labels = control.batch(0)
    text = causal(model)(tokens)
    assert control.loss(model, tokens, labels) == -(labels * text[:, 1] + (1 - labels) * text[:, 0]).mean()
    assert control.loss(model, tokens, labels) != plain.loss(model, tokens, labels)
    requests = []
    model.register_forward_pre_hook(lambda _model, _args, kwargs: requests.append(kwargs.get("mask")), with_kwargs=True)
    control.validate(model)
    assert requests
    assert all(mask is not None for mask in requests)


def test_the_figure_of_a_causal_control_is_read_under_its_mask(recipe, reviews_file):
    task = make_task(recipe(*SMALL, "causal=True"), reviews_file, unchecked=True)
    bundle: Any = SimpleNamespace(model=BertClassifier(task.recipe.model).eval(), tokenizer=task.tokenizer)
    masks = []
    bundle.model.register_forward_pre_hook(
        lambda _model, _args, kwargs: masks.append(kwargs.get("mask")), with_kwargs=True
    )
    figure = ReviewTask.evaluate(bundle, task.recipe, reviews_file, Measure(split="val", unchecked=True))
    assert figure["reviews"] == len(data.load_reviews(reviews_file, "imdb", unchecked=True)["val"])
    assert masks
    assert all(mask is not None for mask in masks)


def test_only_a_bert_is_fine_tuned_under_the_causal_mask(recipe):
    with pytest.raises(ValueError, match=r"causal needs kind 'Bert' or .*got 'Classifier'"):
        recipe("classifier", "causal=True")


def test_word_dropout_puts_mask_in_place_of_a_bert_s_pieces_and_leaves_its_marks(recipe, reviews_file):
    plain, dropping = (
        make_task(recipe(*SMALL, f"word_dropout={share}"), reviews_file, unchecked=True) for share in (0, 0.5)
    )
    pad, cls, sep, mask = (getattr(plain.tokenizer, f"{name}_token") for name in ("pad", "cls", "sep", "mask"))
    whole, hidden = (torch.cat([task.batch(step)[0].flatten() for step in range(7)]) for task in (plain, dropping))
    pieces = ~torch.isin(whole, torch.tensor([pad, cls, sep]))
    assert torch.equal(hidden[~pieces], whole[~pieces])
    assert set(whole.tolist()) >= {pad, cls, sep}
    assert float((hidden[pieces] == mask).float().mean()) == pytest.approx(0.5, abs=0.1)
    left = pieces & (hidden != mask)
    assert torch.equal(hidden[left], whole[left])


def test_a_piece_of_a_review_stands_after_cls_and_is_judged_by_its_own_words_alone(recipe, reviews_file):
    task: Any = make_task(recipe(*SHAPE, "pieces=1", "word_dropout=0"), reviews_file, unchecked=True)
    reviews = [(ids, task.opinions[i]) for i, (ids, _) in enumerate(task.splits["train"])]
    ids, targets = task.batch(0)
    for row, target in zip(ids.tolist(), targets.tolist(), strict=True):
        first, *words = [token for token in row if token != task.tokenizer.pad_token]
        assert first == task.tokenizer.cls_token
        places = [
            (opinion, start)
            for whole, opinion in reviews
            for start in range(1, len(whole))
            if whole[start : start + len(words)] == words
        ]
        assert any(opinion.piece(start, len(words)).positive() == pytest.approx(target) for opinion, start in places)


def test_only_a_classifier_learns_the_scores_of_words(recipe):
    with pytest.raises(ValueError, match=r"words needs kind 'Classifier' or 'BertClassifier', .*got 'Bert'"):
        recipe("bert", "words=1")


def test_each_word_of_a_bert_is_judged_as_cls_is_and_compared_with_the_teachers_score(recipe, reviews_file):
    task: Any = make_task(recipe(*SIZES, "words=2", "pieces=0.5"), reviews_file, unchecked=True)
    torch.manual_seed(0)
    model = BertClassifier(task.recipe.model)
    inputs, targets, scores = task.batch(0)
    last = Capture(["resid_post"])
    text = model(inputs, observer=last)
    assert model.pooler is not None
    pooled = torch.tanh(model.pooler(last["resid_post", 1]))  # (b, t, e)
    log_odds = model.toprobs(pooled).diff(dim=-1)[..., 0]  # (b, t)
    assert torch.allclose(log_odds[:, 0], text[:, 1] - text[:, 0], atol=1e-5)  # [CLS] judges the text
    known = inputs > 1
    cosine = torch.cosine_similarity(log_odds * known, scores * known)
    cross_entropy = -(targets * text[:, 1] + (1 - targets) * text[:, 0]).mean()
    expected = cross_entropy + 2 * (1 - cosine).mean()
    assert torch.allclose(task.loss(model, inputs, targets, scores), expected, atol=1e-5)


def test_what_each_word_says_alone_is_compared_with_the_teachers_score_of_it(recipe, reviews_file):
    settings = ("classifier", "batch=8", "model.num_tokens=60", "model.depth=2", "words=2", "word_dropout=0.3")
    task: Any = make_task(recipe(*settings, "pieces=0.5"), reviews_file, unchecked=True)
    torch.manual_seed(0)
    model = Classifier(task.recipe.model)
    for step in range(4):  # whole reviews and pieces
        inputs, targets, scores = task.batch(step)
        real, text = inputs != 0, model(inputs)
        assert (real | (scores == 0)).all(), "padding has no score"
        x = model.norm(model.transformer(model.transformer.embed(inputs), masks.without_padding(real)))
        log_odds = model.toprobs(x).diff(dim=-1)[..., 0]  # (b, t)
        total = (log_odds * real).sum(1) / real.sum(1)
        assert torch.allclose(total, text[:, 1] - text[:, 0], atol=1e-5)  # float32 sums in another order
        differences = []
        for known, *both in zip(inputs > 1, log_odds, scores, strict=True):  # neither padding nor hidden
            own, teachers = (values[known] for values in both)
            differences.append(1 - own @ teachers / (own.norm() * teachers.norm()).clamp(min=1e-8))
        cross_entropy = -(targets * text[:, 1] + (1 - targets) * text[:, 0]).mean()
        assert torch.allclose(task.loss(model, inputs, targets), cross_entropy)
        expected = cross_entropy + 2 * torch.stack(differences).mean()
        assert torch.allclose(task.loss(model, inputs, targets, scores), expected, atol=1e-5)
