"""Former: a transformer from scratch, after Peter Bloem's article "Transformers from scratch", open to inspection.

The public names, in the order of the article: attention, blocks, models; then tools to inspect models, generate
text, save and load models, and measure them.
"""

from former import analysis, edits, gpt2, llama, masks, patching, pretrained, sparse, tokens
from former.analysis import logit_lens, logit_parts
from former.attention import SelfAttention, attend, attention_weights, basic_self_attention
from former.beams import beam_search
from former.bert import Bert, BertClassifier, BertConfig
from former.blocks import TransformerBlock
from former.checkpoints import Bundle, available, load, save
from former.checkpoints.files import CheckpointError
from former.config import ModelConfig
from former.encoder_decoder import EncoderDecoder, EncoderDecoderConfig, translate
from former.generate import Step, generate
from former.hooks import Capture, Hook, run_with_capture
from former.models import Classifier, Generator
from former.sizes import count_parameters
from former.transformer_xl import TransformerXL, TransformerXLConfig

__all__ = [
    "Bert",
    "BertClassifier",
    "BertConfig",
    "Bundle",
    "Capture",
    "CheckpointError",
    "Classifier",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "Generator",
    "Hook",
    "ModelConfig",
    "SelfAttention",
    "Step",
    "TransformerBlock",
    "TransformerXL",
    "TransformerXLConfig",
    "analysis",
    "attend",
    "attention_weights",
    "available",
    "basic_self_attention",
    "beam_search",
    "count_parameters",
    "edits",
    "generate",
    "gpt2",
    "llama",
    "load",
    "logit_lens",
    "logit_parts",
    "masks",
    "patching",
    "pretrained",
    "run_with_capture",
    "save",
    "sparse",
    "tokens",
    "translate",
]
