"""BERT (article, section "BERT"): a stack that reads the whole text, trained to fill in words (Devlin et al. 2018).

Every token attends to every other; only padding is masked. An input is `[CLS] words [SEP]`, or two texts, each
followed by `[SEP]`, in two segments. Token, position and segment embeddings are added and normed; the blocks are the
article's, post-norm. Output heads, trained with the model, read the last block's vectors:

- at every token, the word at that position: 15 % of the words were selected, and most of those replaced by `[MASK]`;
- at `[CLS]`, whether the second text follows the first;
- after fine-tuning, at `[CLS]`, the class of the whole text, by one linear layer: `BertClassifier`.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks
from former.blocks import ACTIVATIONS
from former.checks import holds_whole, require_choice, require_instance, require_positive
from former.config import Activation, StackConfig, added_in_version, require_token
from former.hooks import Observer
from former.observable import observable
from former.positions import LearnedPositions
from former.stack import Transformer, check_range, not_padding

SIZES: dict[str, dict[str, Any]] = {
    "bert-base": {"emb": 768, "heads": 12, "depth": 12},
    "bert-large": {"emb": 1024, "heads": 16, "depth": 24},  # the article's 340 million parameters
}
"""The published shapes, as keyword arguments of `BertConfig`."""


@dataclass(frozen=True, kw_only=True)
class BertConfig(StackConfig):
    """The shape of a `Bert` or a `BertClassifier`; the defaults are BERT base, uncased.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    emb: int = 768
    heads: int = 12
    depth: int = 12
    activation: Activation = "gelu"  # also of the masked-word head
    dropout: float = 0.1
    attention_bias: bool = True
    norm_eps: float = 1e-12
    num_tokens: int = 30522  # size of the vocabulary
    seq_length: int = 512  # the context: the most tokens of an input
    num_segments: int = 2  # number of segments, each a text
    pad_token: int | None = 0  # no other token attends to this one
    pooler: bool = True  # whether there is a pooling layer for `[CLS]`, which a BertClassifier needs
    pooler_activation: str = added_in_version("tanh", 5)  # of that layer; or "relu", as in DistilBERT
    words_head: bool = True  # whether a Bert has the masked-word head
    sentence_head: bool = True  # whether a Bert has the next-sentence head
    num_classes: int = 2  # number of classes of a BertClassifier; a Bert ignores it

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("num_segments", "num_classes"):
            require_positive(name, getattr(self, name))
        require_token("pad_token", self.pad_token, self.num_tokens)
        require_choice("pooler_activation", self.pooler_activation, ("tanh", "relu"))
        if self.norm != "post":
            raise ValueError(f"norm must be 'post' in BERT, got {self.norm!r}")
        if self.normalisation != "layer":
            raise ValueError(f"normalisation must be 'layer' in BERT, got {self.normalisation!r}")
        require_choice("activation", self.activation, ACTIVATIONS)  # which its masked-word head has too
        if self.sentence_head and not self.pooler:
            raise ValueError("pooler must be True with a sentence_head, which uses it, got False")


class BertStack(nn.Module):
    """The part that `Bert` and `BertClassifier` share: everything except their output heads.

    Args:
        config: the model's shape.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        require_instance("config", config, BertConfig)
        self.config = config
        self.transformer = Transformer(config, LearnedPositions(config.seq_length, config.emb))
        self.segment_embedding = nn.Embedding(config.num_segments, config.emb)
        self.embedding_norm = nn.LayerNorm(config.emb, config.norm_eps)
        self.pooler = nn.Linear(config.emb, config.emb) if config.pooler else None

    @observable
    def encode(
        self,
        tokens: Tensor,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Computes the vectors after the last block.

        Args:
            tokens: (b, t), t at most the context; padded if the config has a `pad_token`. Positions
                count padding, too.
            segments: (b, t), the segment of each token, from 0; None if all tokens are in the first.
            mask: bool (t, t), True = may attend; None for no mask.
            observer: observes, and may replace, the tensors that `former.hooks` lists.
            recompute: whether to recompute each block in the backward pass instead of storing its activations.
        Returns:
            (b, t, e).
        Raises:
            ValueError: tokens, segments or a mask that do not fit, or a sequence with nothing but padding.
        """
        x, mask = self.embed(tokens, segments, mask)
        return self.transformer(x, mask, observer, recompute=recompute)

    def embed(
        self, tokens: Tensor, segments: Tensor | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Computes the first block's input (b, t, e), the normed sum of three embeddings, and the mask without padding.

        The arguments and errors are those of `encode`.
        """
        self.transformer.check(tokens)
        segments = torch.zeros_like(tokens) if segments is None else segments
        self._check_segments(segments, tokens)
        b, t = tokens.shape
        if mask is not None:
            masks.check(mask, torch.Size((b, self.config.heads, t, t)))
        if self.config.pad_token is not None:
            mask = masks.without_padding(not_padding(tokens, self.config.pad_token, self.training), mask)
        x = self.transformer.embed(tokens) + self.segment_embedding(segments.long())
        return self.embedding_norm(x), mask

    @observable
    def forward(
        self,
        tokens: Tensor,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Computes the output of the model's head, `unembed(encode(…))`. The arguments are those of `encode`.

        Returns:
            a Bert's logits of the word at each position (b, t, num_tokens), or, without a masked-word head, the vectors
            (b, t, e) of `encode`; a BertClassifier's log-probabilities of the classes (b, num_classes).
        Raises:
            ValueError: as `encode`.
        """
        x = self.encode(tokens, segments, mask, observer, recompute=recompute)
        return self.unembed(x) if self.has_head else x

    @property
    def has_head(self) -> bool:
        """Whether the model has the output head that `unembed` applies."""
        return True

    def unembed(self, x: Tensor) -> Tensor:
        """Applies the model's output head to the vectors (b, t, e) after the last block."""
        raise NotImplementedError

    def pool(self, x: Tensor) -> Tensor:
        """Computes one vector for each text from `[CLS]`: (b, t, e) → (b, e).

        Raises:
            ValueError: the model has no pooler.
        """
        if self.pooler is None:
            raise ValueError("this model has no pooler: it was built, or its weights were saved, without one")
        x = self.pooler(x[:, 0])
        return torch.tanh(x) if self.config.pooler_activation == "tanh" else torch.relu(x)

    def _check_segments(self, segments: Tensor, tokens: Tensor) -> None:
        require_instance("segments", segments, Tensor)
        if segments.shape != tokens.shape or not holds_whole(segments):
            shape = f"{segments.dtype} {tuple(segments.shape)}"
            raise ValueError(f"segments must be whole numbers of the tokens' shape {tuple(tokens.shape)}, got {shape}")
        check_range("segments", segments, self.config.num_segments, self.training)


class Bert(BertStack):
    """BERT as it is pretrained, with a masked-word head and a next-sentence head.

    Args:
        config: the model's shape.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.words = MaskedWordHead(config) if config.words_head else None
        self.sentence = nn.Linear(config.emb, 2) if config.sentence_head else None

    @property
    def has_head(self) -> bool:
        """Whether the model has the masked-word head."""
        return self.words is not None

    def next_sentence(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Predicts whether the second text follows the first.

        Args:
            tokens, segments: as for `encode`, with both segments.
        Returns:
            logits (b, 2): that the second text follows, and that it does not.
        Raises:
            ValueError: as in `encode`, or the model has no next-sentence head.
        """
        return self.next_sentence_logits(self.encode(tokens, segments))

    def unembed(self, x: Tensor) -> Tensor:
        """Applies the masked-word head: vectors (..., e) after the last block → logits (..., num_tokens).

        Raises:
            ValueError: the model has no masked-word head.
        """
        if self.words is None:
            raise ValueError("this model has no masked-word head: its weights were saved without one")
        return self.words(x, self.transformer.token_embedding.weight)

    def next_sentence_logits(self, x: Tensor) -> Tensor:
        """Applies the next-sentence head: vectors (b, t, e) after the last block → logits (b, 2).

        Raises:
            ValueError: the model has no next-sentence head.
        """
        if self.sentence is None:
            raise ValueError("this model has no next-sentence head: its weights were saved without one")
        return self.sentence(self.pool(x))


class MaskedWordHead(nn.Module):
    """A linear layer and a norm, then the transposed token embedding, with a bias for each word.

    Args:
        config: the model's.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.emb, config.emb)
        self.activation = ACTIVATIONS[config.activation]()
        self.norm = nn.LayerNorm(config.emb, config.norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.num_tokens))

    def forward(self, x: Tensor, embedding: Tensor) -> Tensor:
        """Maps x (..., e) to logits (..., num_tokens) by the token embedding (num_tokens, e)."""
        return F.linear(self.norm(self.activation(self.dense(x))), embedding, self.bias)


class BertClassifier(BertStack):
    """BERT fine-tuned to classify: one linear layer on the pooled vector of `[CLS]`.

    Args:
        config: the model's shape.
    Raises:
        ValueError: the config has no pooler.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        if not config.pooler:
            raise ValueError("pooler must be True in a BertClassifier, which uses it, got False")
        self.toprobs = nn.Linear(config.emb, config.num_classes)

    @classmethod
    def on(cls, bert: Bert, num_classes: int) -> BertClassifier:
        """Builds a classifier to fine-tune from a copy of a pretrained model; only its last layer is new.

        Args:
            bert: a model with a pooler; it is not changed.
            num_classes: at least 1.
        Returns:
            The classifier, on the device and in the dtype of `bert`.
        Raises:
            ValueError: bert has no pooler, or num_classes is below 1.
        """
        classifier = cls(replace(bert.config, num_classes=num_classes, words_head=False, sentence_head=False))
        classifier.to(bert.transformer.token_embedding.weight)
        state = classifier.state_dict()
        classifier.load_state_dict({**state, **{name: x for name, x in bert.state_dict().items() if name in state}})
        return classifier

    def unembed(self, x: Tensor) -> Tensor:
        """Maps the vectors after the last block to log-probabilities: (b, t, e) → (b, num_classes)."""
        pooled = self.transformer.drop(self.pool(x))
        return F.log_softmax(self.toprobs(pooled), dim=-1)
