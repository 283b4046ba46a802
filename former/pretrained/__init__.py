"""Loads and saves weights in Hugging Face's format: GPT-2, BERT, Llama and their like (`ARCHITECTURES`).

    bundle = former.pretrained.load("gpt2")             # downloaded once, with a progress bar, then cached
    bundle = former.pretrained.load(Path("my-bert"))    # a folder: no download
    former.pretrained.save(bundle, "for-transformers")  # transformers.AutoModel.from_pretrained opens it

A folder holds config.json; model.safetensors, or several such files and their index; and the tokenizer, as
tokenizer.json, or vocab.json and merges.txt (GPT-2's), or vocab.txt (BERT's). Nothing is unpickled: of weights only
safetensors are read. Unknown output heads are skipped; the card lists them as "heads_left".
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from former.checkpoints import Bundle
from former.checkpoints.files import TOKENIZER, CheckpointError
from former.checks import require_instance
from former.config import ModelConfig, shapes_only
from former.pretrained import bert, gpt2, gpt_neox, identity, llama, roberta
from former.pretrained.architecture import Architecture, Part
from former.pretrained.files import OF_TOKENIZERS, fetch, is_repo_id, read_json, read_weights, refused
from former.pretrained.tokenizer import definition
from former.rounding import check_finite
from former.tokens.labels import require_fitting

ARCHITECTURES: dict[str, Architecture] = {
    "gpt2": gpt2.ARCHITECTURE,
    "bert": bert.ARCHITECTURE,
    **llama.ARCHITECTURES,
    "gpt_neox": gpt_neox.ARCHITECTURE,
    "roberta": roberta.ROBERTA,
    "distilbert": roberta.DISTILBERT,
}
"""`model_type` in config.json → architecture."""


def load(folder_or_repo_id: str | Path) -> Bundle:
    """Loads a model in Hugging Face's format, in float32 and in evaluation mode, with its tokenizer.

    Args:
        folder_or_repo_id: a folder; or, as a str, a repository's id, "owner/name" or one of `files.SHORT_NAMES`, which
            is downloaded from Hugging Face unless it is in its cache.
    Returns:
        A `Bundle` of a `Generator` (GPT-2, Llama and its like), a `Bert`, or a `BertClassifier` if the weights include
            a classifier. Its card has, if present, "classes" and "heads_left".
    Raises:
        CheckpointError: something is missing, damaged, of another architecture, or cannot be downloaded; one line.
    """
    if not isinstance(folder_or_repo_id, str | Path):
        raise CheckpointError(f"a model must be named by a folder or the id of a repository, got {folder_or_repo_id!r}")
    if os.path.isdir(folder_or_repo_id):  # like Path.is_dir, but works for any text
        folder = Path(folder_or_repo_id)
    elif isinstance(folder_or_repo_id, str) and is_repo_id(folder_or_repo_id):
        folder = fetch(folder_or_repo_id)
    else:
        raise CheckpointError(f"no model {str(folder_or_repo_id)!r}: neither a folder nor the id of a repository")
    values = read_json(folder / "config.json")
    with refused(folder / "config.json"):
        weights = read_weights(folder)
        architecture = identity.find(ARCHITECTURES, values, weights, folder)
        weights = architecture.canonical(weights, folder, values)
    model, heads = _model(architecture, values, weights, folder)
    with refused(folder):
        tokenizer = architecture.read_tokenizer(folder, model.config.num_tokens)
    card = {"name": Path(folder_or_repo_id).name, **architecture.read_facts(values, model)}
    return Bundle(model.eval(), tokenizer, model.config, card | ({"heads_left": heads} if heads else {}))


def save(bundle: Bundle, folder: str | Path) -> None:
    """Writes a model in Hugging Face's format, in float32, for `transformers`.

    Args:
        bundle: of a model that one of `ARCHITECTURES` can express, with a tokenizer of bytes or pieces of words: a
            `Generator` in the shape of GPT-2, Llama or Pythia, a `Bert` or a `BertClassifier`.
        folder: created if it is missing; a model in it is replaced.
    Raises:
        ValueError: a model or tokenizer that the format cannot express, or weights that are not finite.
    """
    from huggingface_hub import save_torch_state_dict  # noqa: PLC0415 (imported only when saving)

    require_instance("bundle", bundle, Bundle)
    architecture, values = _expressed(bundle)
    require_fitting(bundle.tokenizer.num_tokens, bundle.model.config.num_tokens)
    tokenizer_config = architecture.tokenizer_settings(bundle.tokenizer)
    state = {name: tensor.detach().float().cpu() for name, tensor in bundle.model.state_dict().items()}
    check_finite(state, "f32")
    theirs = {}
    for part in architecture.parts(type(bundle.model), bundle.model.config):
        if part.theirs:
            theirs[architecture.written(part.theirs, values)] = _theirs(part, state)
        elif any(state[name].any() for name in part.ours):
            raise ValueError(f"{part.ours[0]} must be zeros, which {values['model_type']} does not have, got others")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*OF_TOKENIZERS, "generation_config.json"):  # of a model that was here
        (folder / name).unlink(missing_ok=True)
    save_torch_state_dict(theirs, folder)
    (folder / TOKENIZER).write_text(definition(bundle.tokenizer), encoding="utf-8")
    _write_json(folder / "tokenizer_config.json", tokenizer_config)
    _write_json(folder / "config.json", values)


def _expressed(bundle: Bundle) -> tuple[Architecture, dict[str, Any]]:
    """Finds the architecture that can express a model: its config.json, read again, gives the model's config. Returns
    both.

    Raises:
        ValueError: there is none; the message says what the closest one would need.
    """
    refusals: list[tuple[str, list[str]]] = []
    for architecture in ARCHITECTURES.values():
        if not architecture.writes(bundle):
            continue
        values, state = architecture.write_config(bundle), bundle.model.state_dict()
        parts = architecture.parts(type(bundle.model), bundle.model.config)
        weights = {part.theirs: state[part.ours[0]] for part in parts if part.ours[0] in state}
        read, own = (_shape(config) for config in (architecture.read_config(values, weights)[1], bundle.model.config))
        other = [f"{name} must be {read[name]!r}, got {own[name]!r}" for name in read if read[name] != own[name]]
        if not other:
            return architecture, values
        refusals.append((values["model_type"], other))
    if not refusals:
        raise ValueError(f"bundle must hold a Generator, Bert or BertClassifier, got {type(bundle.model).__name__}")
    name, other = min(refusals, key=lambda refusal: len(refusal[1]))
    raise ValueError(f"no class of transformers has this shape; in {name} {'; '.join(other)}")


def _shape(config: Any) -> dict[str, Any]:
    """Returns the fields of a config that affect inference, in a normal form, so that two configs can be compared."""
    shape = {
        **config.to_dict(),
        **{"ff_hidden": config.ff_size, "kv_heads": config.key_heads, "size": config.head_size},
    }
    ignored = ["dropout", "ff_hidden_mult"]
    if isinstance(config, ModelConfig):
        shape["mask"] = config.mask or "causal"
        ignored += ["num_classes", "pooling", "pad_token", *(["output_bias"] if config.tied else [])]
    elif not config.pooler:
        ignored += ["pooler_activation"]
    return {name: value for name, value in shape.items() if name not in ignored}


def _model(
    architecture: Architecture, values: dict[str, Any], weights: dict[str, Tensor], folder: Path
) -> tuple[Any, list[str]]:
    """Builds our model with a folder's weights, which are named as in `parts`; returns it and the names of skipped
    heads."""
    with refused(folder / "config.json"):
        kind, config = architecture.read_config(values, weights)
        for part in architecture.parts(kind, config):  # before building the model, as the config may claim any depth
            if part.theirs and part.theirs not in weights:
                body = part.theirs.split(".", maxsplit=1)[0] in architecture.body
                reason = "which config.json implies" if body else "the output layer; save a model whose class has it"
                if inner := [name for name in weights if name.endswith(f".{part.theirs}")]:
                    reason = f"but have {inner[0]!r}; write the model that is inside with its own save_pretrained"
                raise CheckpointError(f"the weights in {folder} lack {part.theirs!r}, {reason}")
        with shapes_only():  # the weights are read from the files
            model = kind(config)
    state: dict[str, Tensor] = {}
    for part in architecture.parts(kind, config):
        if part.theirs:
            state |= _ours(part, weights.pop(part.theirs), model.state_dict(), folder)
        else:
            state |= {name: torch.zeros(model.state_dict()[name].shape) for name in part.ours}
    if foreign := [name for name in weights if name.split(".")[0] in architecture.body]:
        raise CheckpointError(f"the weights in {folder} hold {min(foreign)!r}, which the model has no place for")
    model.load_state_dict(state, assign=True)
    return model, sorted({name.split(".")[0] for name in weights})


def _ours(part: Part, theirs: Tensor, expected: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """Converts one of Hugging Face's tensors to ours, and checks its shape and numbers."""
    shapes = [expected[name].shape for name in part.ours]
    shape = (sum(shape[0] for shape in shapes) + part.first, *shapes[0][1:])
    shape = tuple(reversed(shape)) if part.transposed else shape
    if not theirs.is_floating_point():
        raise CheckpointError(f"the weights in {folder} must be floating point, got {theirs.dtype} in {part.theirs!r}")
    if tuple(theirs.shape) != shape:
        raise CheckpointError(
            f"the weights in {folder} hold {part.theirs!r} as {tuple(theirs.shape)}, config.json implies {shape}"
        )
    theirs = (theirs.T if part.transposed else theirs)[part.first :]
    if part.heads > 1:
        theirs = theirs.unflatten(0, (part.heads, len(part.ours), -1)).transpose(0, 1).flatten(0, 2)
    chunks = theirs.chunk(len(part.ours))
    # Copy, so that the file can be deleted.
    ours = [chunk.to(torch.float32, copy=True, memory_format=torch.contiguous_format) for chunk in chunks]
    if not all(tensor.isfinite().all() for tensor in ours):
        raise CheckpointError(f"the weights in {folder} must be finite numbers, got others in {part.theirs!r}")
    return dict(zip(part.ours, ours, strict=True))


def _theirs(part: Part, state: dict[str, Tensor]) -> Tensor:
    """Converts our tensors to one of Hugging Face's: the inverse of `_ours`, with zeros in the rows before ours."""
    joined = torch.cat([state[name] for name in part.ours])
    if part.heads > 1:
        joined = joined.unflatten(0, (len(part.ours), part.heads, -1)).transpose(0, 1).flatten(0, 2)
    joined = torch.cat((joined.new_zeros(part.first, *joined.shape[1:]), joined))
    return (joined.T if part.transposed else joined).contiguous()


def _write_json(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
