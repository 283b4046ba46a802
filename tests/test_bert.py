"""BERT: its mask, its heads, and its place among the other models. test_pretrained.py compares its numbers with
`transformers`."""

from typing import Any

import pytest
import torch

import former
from former import hooks
from former.bert import SIZES, Bert, BertClassifier, BertConfig, BertStack
from former.tokens import WordPieceTokenizer

PIECES = WordPieceTokenizer.train(["the cat sat on the mat. the dog did not. " * 5], 60)
CONFIG = BertConfig(num_tokens=PIECES.num_tokens, seq_length=20, emb=24, heads=4, depth=3)
TOKENS, SEGMENTS = (torch.tensor([each]) for each in PIECES.encode_pair("the cat sat", "the dog did"))


@pytest.fixture
def bert() -> Bert:
    torch.manual_seed(0)
    return Bert(CONFIG).eval()


@pytest.mark.parametrize(("name", "parameters"), [("bert-base", 109_482_240), ("bert-large", 335_141_888)])
def test_each_published_size_has_its_number_of_parameters(name, parameters):
    config = BertConfig(**SIZES[name])
    with torch.device("meta"):
        stack, whole = BertStack(config), Bert(config)
    assert sum(parameter.numel() for parameter in stack.parameters()) == parameters
    emb, words = config.emb, config.num_tokens
    heads = emb * emb + emb + 2 * emb + words + 2 * emb + 2  # dense, norm, a bias for each word; next sentence
    assert sum(parameter.numel() for parameter in whole.parameters()) == parameters + heads


@torch.no_grad()
def test_every_token_sees_every_other(bert):
    unchanged = bert(TOKENS, SEGMENTS)
    for i in range(TOKENS.shape[1]):
        changed = TOKENS.clone()
        changed[0, i] = PIECES.mask_token
        assert (bert(changed, SEGMENTS) != unchanged).any(-1).all()


@torch.no_grad()
def test_padding_changes_nothing_but_its_own_places(bert):
    padded = torch.cat((TOKENS, torch.zeros(1, 4, dtype=torch.long)), 1)
    segments = torch.cat((SEGMENTS, torch.zeros(1, 4, dtype=torch.long)), 1)
    t = TOKENS.shape[1]
    # To rounding: a longer row sums in another order.
    torch.testing.assert_close(bert(padded, segments)[:, :t], bert(TOKENS, SEGMENTS), atol=1e-5, rtol=0)
    torch.testing.assert_close(bert.next_sentence(padded, segments), bert.next_sentence(TOKENS, SEGMENTS))
    weights = former.run_with_capture(bert, (padded, segments))[1].stack("weights")
    assert (weights[..., t:] == 0).all()


@torch.no_grad()
def test_a_segment_tells_two_texts_apart(bert):
    assert torch.equal(bert(TOKENS), bert(TOKENS, torch.zeros_like(TOKENS)))
    assert not torch.allclose(bert(TOKENS), bert(TOKENS, SEGMENTS))
    assert not torch.allclose(bert.next_sentence(TOKENS, SEGMENTS), bert.next_sentence(TOKENS, 1 - SEGMENTS))


@torch.no_grad()
def test_looking_changes_nothing_and_every_point_is_there(bert):
    names = (*hooks.POINTS, *hooks.BLOCK_POINTS)
    logits, capture = former.run_with_capture(bert, (TOKENS, SEGMENTS), names)
    torch.testing.assert_close(logits, bert(TOKENS, SEGMENTS), atol=1e-5, rtol=0)  # another kernel
    for name in names:
        assert len(capture.stack(name)) == CONFIG.depth
    torch.testing.assert_close(capture.stack("weights").sum(-1), torch.ones(3, 1, 4, TOKENS.shape[1]))
    assert torch.equal(bert.unembed(capture.get("resid_post", 2)), logits)


@torch.no_grad()
def test_an_edit_changes_what_is_read_off_the_top(bert):
    edit = former.edits.ablate_head(1, 2)
    logits, capture = former.run_with_capture(bert, (TOKENS, SEGMENTS), ("out",), edits=[edit])
    assert (capture.get("out", 1)[:, 2] == 0).all()
    assert not torch.allclose(logits, bert(TOKENS, SEGMENTS))


@torch.no_grad()
def test_the_logit_lens_ends_in_the_models_own_logits(bert):
    lens = former.logit_lens(bert, TOKENS)
    assert lens.shape == (CONFIG.depth + 1, *TOKENS.shape, CONFIG.num_tokens)
    torch.testing.assert_close(lens[-1], bert(TOKENS), atol=1e-5, rtol=0)
    classifier = BertClassifier.on(bert, 3).eval()
    torch.testing.assert_close(former.logit_lens(classifier, TOKENS)[-1], classifier(TOKENS), atol=1e-5, rtol=0)


@torch.no_grad()
def test_without_the_masked_word_head_the_vectors_are_what_comes_out_and_nothing_reads_them():
    bare = Bert(BertConfig(**{**CONFIG.to_dict(), "words_head": False, "sentence_head": False})).eval()
    x, capture = former.run_with_capture(bare, (TOKENS, SEGMENTS))
    torch.testing.assert_close(x, bare.encode(TOKENS, SEGMENTS), atol=1e-5, rtol=0)
    assert capture.stack("weights").shape == (3, 1, 4, TOKENS.shape[1], TOKENS.shape[1])
    with pytest.raises(ValueError, match="no masked-word head"):
        former.logit_lens(bare, TOKENS)


@torch.no_grad()
def test_a_mask_may_be_laid_on_as_an_experiment(bert):
    t = TOKENS.shape[1]
    mask = torch.ones(t, t, dtype=torch.bool).tril()
    changed = TOKENS.clone()
    changed[0, -2] = PIECES.mask_token
    before, after = bert(TOKENS, mask=mask), bert(changed, mask=mask)
    assert torch.equal(before[:, :-2], after[:, :-2])


def test_what_is_computed_again_has_the_same_gradients(bert):
    gradients = []
    for recompute in (False, True):
        bert.zero_grad()
        bert(TOKENS, SEGMENTS, recompute=recompute).logsumexp(-1).sum().backward()
        gradients.append([parameter.grad for parameter in bert.parameters() if parameter.grad is not None])
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))


@torch.no_grad()
def test_a_classifier_starts_from_a_copy_of_the_pretrained_model(bert):
    classifier = BertClassifier.on(bert, 3).eval()
    assert torch.equal(classifier.encode(TOKENS, SEGMENTS), bert.encode(TOKENS, SEGMENTS))
    assert torch.equal(classifier.pool(bert.encode(TOKENS)), bert.pool(bert.encode(TOKENS)))
    assert BertClassifier.on(bert.double(), 3)(TOKENS).dtype == torch.float64
    classifier.transformer.token_embedding.weight.zero_()
    assert bert.transformer.token_embedding.weight.any()
    torch.testing.assert_close(classifier(TOKENS).exp().sum(-1), torch.ones(1))
    assert classifier(TOKENS).shape == (1, 3)


@pytest.mark.parametrize("parts", [{}, {"words_head": False}, {"sentence_head": False, "pooler": False}])
@torch.no_grad()
def test_what_was_saved_is_loaded_again(parts, tmp_path):
    config = BertConfig(**{**CONFIG.to_dict(), **parts})
    model = Bert(config).eval()
    former.save(former.Bundle(model, PIECES, config, {"name": "bert"}), tmp_path)
    reloaded = former.load(tmp_path)
    assert reloaded.config == config
    assert reloaded.tokenizer.encode("the cat [MASK]") == PIECES.encode("the cat [MASK]")
    for name, tensor in model.state_dict().items():
        assert torch.equal(reloaded.model.state_dict()[name], tensor.half().float())


@torch.no_grad()
def test_a_saved_classifier_is_loaded_again(bert, tmp_path):
    classifier = BertClassifier.on(bert, 4).eval()
    former.save(former.Bundle(classifier, PIECES, classifier.config), tmp_path, dtype="bf16")
    reloaded = former.load(tmp_path)
    assert isinstance(reloaded.model, BertClassifier)
    torch.testing.assert_close(reloaded.model(TOKENS), classifier(TOKENS), atol=0.05, rtol=0)  # weights of 8 bits


TINY: dict[str, Any] = {"num_tokens": 9, "emb": 8, "heads": 2, "depth": 1, "seq_length": 4}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: BertConfig(norm="pre"), "norm must be 'post' in BERT, got 'pre'"),
        (lambda: BertConfig(pooler=False), "pooler must be True with a sentence_head"),
        (lambda: BertConfig(num_segments=0), "num_segments must be a whole number of at least 1, got 0"),
        (lambda: BertConfig(pad_token=30522), "pad_token must be None or a whole number in"),
        (
            lambda: BertClassifier(BertConfig(**TINY, pooler=False, sentence_head=False)),
            "pooler must be True in a BertClassifier",
        ),
        (
            lambda: Bert(CONFIG)(TOKENS, SEGMENTS[:, 1:]),
            "segments must be whole numbers of the tokens' shape",
        ),
        (lambda: Bert(CONFIG)(TOKENS, SEGMENTS.float()), r"segments must be whole numbers .* got torch.float32"),
        (lambda: Bert(CONFIG)(TOKENS, SEGMENTS + 0j), r"segments must be whole numbers .* got torch.complex64"),
        (lambda: Bert(CONFIG)(TOKENS, SEGMENTS * 2), r"segments must be in \[0, 2\), got 0 to 2"),
        (lambda: Bert(CONFIG)(TOKENS * 0), "tokens must hold a token that is not padding"),
        (lambda: Bert(CONFIG)(TOKENS, mask=torch.ones(2, 2).bool()), "mask must fit scores of shape"),
        (lambda: Bert(CONFIG)(TOKENS.expand(1, -1).repeat(1, 3)), "tokens must fit the context of 20 tokens, got 27"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(build, message):
    with pytest.raises(ValueError, match=message):
        build()
