"""Small models with random weights, as the app loads them. Every assertion in these tests holds for any weights."""

import pytest
import torch
from plotly.graph_objects import Figure

import former
from viz.passes.loaded import Loaded
from viz.tabs.permute import permuting

WORDS = ["<pad>", "<unk>", "a", "bad", "but", "film", "good", "great", "not", "the", "was", ",", "."]
VERDICTS = ["negative", "positive"]


def spread(model):
    """Enlarges the weights, so that heads attend to some tokens more than to others and outputs differ."""
    for parameter in model.parameters():
        parameter.data += 0.15 * torch.randn_like(parameter)
    return model.eval()


@pytest.fixture(autouse=True)
def no_fault_is_told_as_a_refusal(caplog):
    """Fails a test whose routes log a traceback: an error other than `Refusal` has reached the visitor."""
    yield
    assert not [record.getMessage() for record in caplog.get_records("call") if record.exc_info]


@pytest.fixture(autouse=True)
def shown_figures(monkeypatch) -> list[Figure]:
    """The figures that the test shows; no browser is opened for them."""
    figures: list[Figure] = []

    def show(figure: Figure) -> None:
        figures.append(figure)

    monkeypatch.setattr(Figure, "show", show)
    return figures


@pytest.fixture(scope="session")
def generator() -> Loaded:
    torch.manual_seed(1)
    config = former.ModelConfig(num_tokens=256, emb=32, heads=4, depth=3, seq_length=48, norm="pre", activation="gelu")
    bundle = former.Bundle(spread(former.Generator(config)), former.tokens.ByteTokenizer(), config)
    return Loaded("small-generator", bundle, "weights-1")


@pytest.fixture(scope="session")
def classifier() -> Loaded:
    torch.manual_seed(2)
    config = former.ModelConfig(
        num_tokens=len(WORDS), emb=32, heads=4, depth=2, seq_length=24, num_classes=2, pad_token=0, norm="pre"
    )
    model = spread(former.Classifier(config))
    model.transformer.token_embedding.weight.data /= 2  # else basic self-attention looks at nothing but itself
    bundle = former.Bundle(model, former.tokens.WordTokenizer(WORDS), config, {"classes": VERDICTS})
    return Loaded("small-classifier", bundle, "weights-2")


@pytest.fixture(scope="session")
def bag() -> Loaded:
    """Builds a classifier with the same words and without positions."""
    torch.manual_seed(3)
    config = former.ModelConfig(
        num_tokens=len(WORDS), emb=32, heads=4, depth=2, seq_length=24, pad_token=0, norm="pre", positions="none"
    )
    bundle = former.Bundle(
        spread(former.Classifier(config)), former.tokens.WordTokenizer(WORDS), config, {"classes": VERDICTS}
    )
    return Loaded("small-bag", bundle, "weights-3")


@pytest.fixture(scope="session")
def bert() -> Loaded:
    """Builds a BERT that fills in hidden words, with both heads; its card states its quality."""
    torch.manual_seed(4)
    tokenizer = former.tokens.WordPieceTokenizer.train(
        ["paris is the capital of france. it was not a bad film."] * 3, 90
    )
    config = former.BertConfig(num_tokens=tokenizer.num_tokens, emb=32, heads=4, depth=2, seq_length=64)
    worth = {"masked_accuracy": 0.31, "commonest": 0.05, "next_sentence_other": 0.8, "next_sentence_same": 0.6}
    quality = [{"split": "val", **worth, "rows": 512, "context": 64, "command": "measure it"}]
    bundle = former.Bundle(spread(former.Bert(config)), tokenizer, config, {"quality": quality})
    return Loaded("bert", bundle, "weights-4")


@pytest.fixture(scope="session")
def subject(classifier, bag) -> permuting.Subject:
    """Returns the classifiers of tab Word order."""
    result = permuting.find({bag.name: bag, classifier.name: classifier})
    assert result is not None
    return result


@pytest.fixture(scope="session")
def models(generator, classifier) -> dict[str, Loaded]:
    return {generator.name: generator, classifier.name: classifier}


@pytest.fixture(scope="module")
def loaded_once():
    """Loads each model once: all programs that name it share it and must not change it."""
    load = former.load
    remaining: dict[str, former.Bundle] = {}

    def once(name: str) -> former.Bundle:
        if name not in remaining:
            remaining[name] = load(name)
        return remaining[name]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(former, "load", once)
        yield
    for name, bundle in remaining.items():
        weights = bundle.model.state_dict()
        for key, weight in load(name).model.state_dict().items():
            assert torch.equal(weights[key].float(), weight), f"{name}: {key} was changed"
