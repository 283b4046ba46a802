"""Metrics of activation patching: a number computed from one prediction of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from former.analysis.difference import predicted
from former.checks import is_whole, require_instance
from former.runs.carry import check_model
from former.runs.run import Run
from former.sampling import precise


@dataclass(frozen=True)
class Metric:
    """A number computed from one prediction of a run: metric(run).

    Attributes:
        read: function read(run, values) → metric (b,), where values (b, n) are logits of tokens or log-probabilities of
            classes.
        at: index of the prediction: a position; in a model that fills in hidden tokens, an index into these; a
            classifier has one prediction.
    """

    read: Callable[[Run, Tensor], Tensor]
    at: int = -1

    def __post_init__(self) -> None:
        if not is_whole(self.at):
            raise ValueError(f"at must be a whole number, got {self.at!r}")

    def of(self, run: Run, result: Tensor) -> Tensor:
        """Computes the metric (b,) from what `Kind.call` returned for a batch of b copies of the run's text.

        Raises:
            ValueError: the run has no such token, class or position.
        """
        return self.read(run, run.kind.prediction(run.model, run.reading, run.inputs, result, self.at))

    def __call__(self, run: Run) -> float:
        """Computes the metric of a run, as a float."""
        require_instance("run", run, Run)
        with torch.no_grad():
            return float(self.of(run, run.result)[0])


def logit_difference(answer: int | str, rival: int | str, at: int = -1) -> Metric:
    """Returns the metric logit(answer) − logit(rival), for tokens or classes.

    Args:
        answer, rival: id, text or label of one token; or index or name of a class.
        at: index of the prediction, as in `Metric`.
    """

    def read(run: Run, logits: Tensor) -> Tensor:
        return precise(logits)[:, index_of(run, answer)] - precise(logits)[:, index_of(run, rival)]

    return Metric(read, at)


def probability(answer: int | str, at: int = -1) -> Metric:
    """Returns the metric "probability of a token or a class"; see `logit_difference` for its arguments."""
    return Metric(lambda run, logits: precise(logits).softmax(-1)[:, index_of(run, answer)], at)


def kl_to(clean: Run, at: int = -1) -> Metric:
    """Returns the metric KL(clean ‖ run) of the predictions `at` (as in `Metric`), in nats; it is 0 if they
    are equal."""

    def read(run: Run, logits: Tensor) -> Tensor:
        check_model(clean, run)
        target = predicted(clean, at)
        logits = precise(logits).log_softmax(-1)
        return F.kl_div(logits, target.expand_as(logits), reduction="none", log_target=True).sum(-1)

    return Metric(read, at)


def index_of(run: Run, answer: int | str) -> int:
    """Returns the index of a token or a class in a model's predictions.

    Args:
        run: a run of the model.
        answer: as in `logit_difference`.
    Raises:
        ValueError: an index out of range, an unknown name, or a text of several tokens.
    """
    require_instance("run", run, Run)
    names = run.kind.classes(run.source) if run.kind.says == "class" else None
    count = run.source.tokenizer.num_tokens if names is None else len(names)
    if not isinstance(answer, str):
        if not is_whole(answer):
            raise ValueError(f"answer must be the index or the text of a token or a class, got {answer!r}")
        if not 0 <= answer < count:
            raise ValueError(f"answer must be in [0, {count}) for this model, got {answer}")
        return int(answer)
    if names is not None:
        if answer not in names:
            raise ValueError(f"answer must be one of the classes {', '.join(names)}, got {answer!r}")
        return names.index(answer)
    return _token(run, answer)


def _token(run: Run, text: str) -> int:
    tokenizer = run.source.tokenizer
    ids = getattr(tokenizer, "pieces", tokenizer.encode)(text)  # without tokens around them, such as [CLS]
    if len(ids) == 1 and tokenizer.decode(ids) == text:
        return ids[0]
    labels = tokenizer.labels(range(tokenizer.num_tokens))
    if text not in labels:
        raise ValueError(f"answer must be one token of this model, got {text!r}, which is {tokenizer.labels(ids)}")
    return labels.index(text)
