"""A broken folder in Hugging Face's format raises a one-line error; a repository is downloaded only if named
explicitly."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import former
from former import gpt2
from former.bert import BertClassifier, BertConfig
from former.pretrained import files
from former.tokens import BpeTokenizer, WordTokenizer
from tests.their_models import BPE, PIECES, TEXTS, T, bert_config, gpt2_config, saved


def change_config(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


def change_weights(change: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        change(weights)
        save_file(weights, folder / "model.safetensors")

    return rewrite


def write(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def remove(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def only_pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def cut_short(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def indexed(weight_map: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "model.safetensors").rename(folder / "part.safetensors")
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))

    return change


def in_two_files(folder: Path) -> None:
    shutil.copy(folder / "model.safetensors", folder / "again.safetensors")
    indexed({"a": "again.safetensors", "b": "part.safetensors"})(folder)


def change_tokenizer(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        path = folder / "tokenizer.json"
        definition = json.loads(path.read_text(encoding="utf-8"))
        change(definition)
        path.write_text(json.dumps(definition), encoding="utf-8")

    return rewrite


def older_vocabulary(**changes: int) -> Callable[[Path], None]:
    """Replaces tokenizer.json by vocab.json and merges.txt with other ids."""

    def rewrite(folder: Path) -> None:
        vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        (folder / "tokenizer.json").unlink()
        write("merges.txt", "#version: 0.2\n")(folder)
        write("vocab.json", json.dumps({**vocabulary, **changes}))(folder)

    return rewrite


PANICS = {"type": "Precompiled", "precompiled_charsmap": ""}  # the library's Rust fails at it, and not as an Exception
C_ATTN = "transformer.h.1.attn.c_attn.weight"
NOT_FINITE = torch.full((24, 72), torch.inf)
TYPES = "'gpt2', 'bert', 'llama', 'mistral', 'qwen2', 'qwen3', 'gpt_neox', 'roberta', 'distilbert'"
OTHERS = "other models cannot be read here, so correct config.json only if this one was trained with"
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (remove("config.json"), "config.json cannot be read"),
    "a config that is no JSON": (write("config.json", "{"), "config.json is not JSON"),
    "a config that is deeper than any": (write("config.json", "[" * 100_000), "config.json is not JSON"),
    "a config that is a list": (write("config.json", "[]"), "config.json must hold an object, got list"),
    "another architecture": (
        change_config(model_type="t5"),
        f"model_type must be one of {TYPES}, got 't5'",
    ),
    "no architecture": (
        lambda folder: [
            write("config.json", "{}")(folder),
            change_weights(lambda weights: weights.pop("transformer.h.0.attn.c_attn.weight"))(folder),
        ],
        f'nothing else identifies the architecture; put "model_type" into config.json, one of {TYPES}',
    ),
    "a class of others": (
        change_config(architectures=["GPTBigCodeForCausalLM"]),
        "architectures must name classes of GPT2, got 'GPTBigCodeForCausalLM', which may compute something else; "
        'put "GPT2Model" there if it has the same body',
    ),
    "architectures that are no list": (
        change_config(architectures="GPT2LMHeadModel"),
        "architectures must be a list of names, got 'GPT2LMHeadModel'",
    ),
    "an unknown activation": (change_config(activation_function="swish"), "activation must be one of 'gelu'"),
    "an activation that is no name": (change_config(activation_function=["gelu"]), "activation must be one of 'gelu'"),
    "a size in quotes": (
        change_config(n_embd="24", n_inner=96),
        "emb must be a whole number of at least 1, got '24'",
    ),
    "an output layer of its own": (
        change_config(tie_word_embeddings=False),
        f"tie_word_embeddings must be True, got False; {OTHERS} True",
    ),
    "heads that do not divide": (change_config(n_head=5), "heads must divide emb"),
    "a size that is no number": (change_config(n_layer="three"), "depth must be a whole number of at least 1"),
    "a hidden size that does not fit": (
        change_config(n_inner=50),
        "hold 'h.0.mlp.c_fc.weight' as (24, 96), config.json implies (24, 50)",
    ),
    "a depth beyond the weights": (change_config(n_layer=10**9), "lack 'h.3.ln_1.weight', which config.json implies"),
    "a depth below the weights": (
        change_config(n_layer=2),
        "hold 'h.2.attn.c_attn.bias', which the model has no place",
    ),
    "a vocabulary beyond the weights": (
        change_config(vocab_size=301),
        r"'wte.weight' as (300, 24), config.json implies",
    ),
    "a vocabulary beyond any memory": (change_config(vocab_size=10**18), "config.json: "),
    "only pickled weights": (
        only_pickled,
        "holds no model.safetensors and no model.safetensors.index.json; other formats can run code; save_pretrained "
        "of transformers writes this one",
    ),
    "weights cut short": (cut_short, "cannot be read as safetensors"),
    "weights that are no safetensors": (write("model.safetensors", "weights"), "cannot be read as safetensors"),
    "a tensor missing": (change_weights(lambda weights: weights.pop(C_ATTN)), "lack 'h.1.attn.c_attn.weight'"),
    "a tensor of another shape": (
        change_weights(lambda weights: weights.update({C_ATTN: torch.zeros(72, 24)})),
        "hold 'h.1.attn.c_attn.weight' as (72, 24), config.json implies (24, 72)",
    ),
    "a tensor too many": (
        change_weights(lambda weights: weights.update({"transformer.h.0.attn.lora_A": torch.zeros(2)})),
        "hold 'h.0.attn.lora_A', which the model has no place for",
    ),
    "a tensor twice": (
        change_weights(lambda weights: weights.update({"wte.weight": torch.zeros(2)})),
        "hold 'wte.weight' twice",
    ),
    "a tensor twice, once as a wrapper calls it": (
        change_weights(lambda weights: weights.update({"module.transformer.wte.weight": torch.zeros(2)})),
        "hold 'wte.weight' twice",
    ),
    "an output layer that is not the embedding": (
        change_weights(lambda weights: weights.update({"lm_head.weight": torch.zeros(300, 24)})),
        "must hold 'lm_head.weight' as 'wte.weight'",
    ),
    "a tensor of whole numbers": (
        change_weights(lambda weights: weights.update({C_ATTN: torch.zeros(24, 72, dtype=torch.int8)})),
        "must be floating point, got torch.int8 in 'h.1.attn.c_attn.weight'",
    ),
    "a weight that is not finite": (
        change_weights(lambda weights: weights.update({C_ATTN: NOT_FINITE})),
        "must be finite numbers, got others in 'h.1.attn.c_attn.weight'",
    ),
    "an index without a map": (indexed(None), "must have a weight_map"),
    "an index that leaves the folder": (indexed({"a": "../part.safetensors"}), "must name safetensors files beside it"),
    "an index to a pickled file": (indexed({"a": "model.bin"}), "must name safetensors files beside it"),
    "an index to no name of a file": (indexed({"a": "\ud800.safetensors"}), "must name safetensors files beside it"),
    "an index of two files that hold the same": (in_two_files, "twice, once in part.safetensors"),
    "an index to a file that is missing": (indexed({"a": "gone.safetensors"}), "gone.safetensors cannot be read"),
    "an index of tensors that are missing": (indexed({"a": "part.safetensors"}), "lack 'a', which"),
    "no tokenizer": (
        remove("tokenizer.json"),
        "has no tokenizer: neither tokenizer.json nor vocab.json and merges.txt; copy the model's own into it",
    ),
    "a tokenizer that is none": (write("tokenizer.json", "{}"), "definition must be the text of a tokenizer.json"),
    "a tokenizer at which the library fails": (
        change_tokenizer(lambda definition: definition.update(normalizer=PANICS)),
        "definition must be the text of a tokenizer.json",
    ),
    "a tokenizer that reads by chance": (
        change_tokenizer(lambda definition: definition["model"].update(dropout=0.5)),
        "definition must have no dropout of merges, got 0.5",
    ),
    "a vocabulary without a byte": (
        change_tokenizer(lambda definition: definition["model"].update(vocab={"a": 0}, merges=[])),
        "definition must have a token for each byte, got none for b'!'",
    ),
    "an id that is none": (older_vocabulary(a=-1), "must map each token to a whole number of at least 0, got -1"),
    "an id of two tokens": (older_vocabulary(a=7, b=7), "must map each token to its own id"),
    "a tokenizer of another kind": (
        change_tokenizer(lambda definition: definition.update(decoder={"type": "Fuse"})),
        "definition must be byte-level BPE",
    ),
    "a tokenizer with more tokens": (
        write("tokenizer.json", BpeTokenizer.train(TEXTS, 310).to_dict()["definition"]),
        "tokenizer must have at most the model's 300 tokens, got 309; take the one that the model was trained with",
    ),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpt2")
    saved(T.GPT2LMHeadModel(gpt2_config()), folder)
    return folder


def assert_refused(whole: Path, folder: Path, breaks: Callable[[Path], object], message: str) -> None:
    """Asserts that a valid folder, once broken, raises a one-line error that contains `message`, with its cure if it
    has one."""
    shutil.copytree(whole, folder)
    former.pretrained.load(folder)
    breaks(folder)
    with pytest.raises(former.CheckpointError) as refusal:
        former.pretrained.load(folder)
    said = str(refusal.value)
    assert said.endswith(message) if "; " in said else message in said
    assert "\n" not in said


@pytest.mark.parametrize(("breaks", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_folder_is_refused_in_one_line(breaks, message, whole, tmp_path):
    assert_refused(whole, tmp_path / "model", breaks, message)


BROKEN_BERT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a head that is half there": (
        change_weights(lambda weights: weights.pop("cls.predictions.transform.dense.weight")),
        "lack 'cls.predictions.transform.dense.weight', the output layer; save a model whose class has it",
    ),
    "a head that is promised": (
        change_weights(lambda weights: [weights.pop(f"cls.seq_relationship.{name}") for name in ("weight", "bias")]),
        "lack 'cls.seq_relationship.weight', the output layer; save a model whose class has it",
    ),
    "a class of others": (
        change_config(architectures=["RobertaModel"]),
        "must name classes of Bert, got 'RobertaModel', which may compute something else; "
        'put "BertModel" there if it has the same body',
    ),
    "relative positions": (
        change_config(position_embedding_type="relative_key"),
        f"must be 'absolute', got 'relative_key'; {OTHERS} 'absolute'",
    ),
    "a decoder": (change_config(is_decoder=True), f"is_decoder must be False, got True; {OTHERS} False"),
    "no tokenizer": (
        remove("tokenizer.json"),
        "has no tokenizer: neither tokenizer.json nor vocab.txt; copy the model's own into it",
    ),
    "another token for unknown words": (
        change_tokenizer(lambda definition: definition["model"].update(unk_token="<unk>")),
        "definition must read an unknown word as '[UNK]', got '<unk>'",
    ),
    "a setting of the older files that is none": (
        lambda folder: [
            remove("tokenizer.json")(folder),
            write("vocab.txt", "\n".join(PIECES.labels(range(PIECES.num_tokens))))(folder),
            write("tokenizer_config.json", '{"do_lower_case": null}')(folder),
        ],
        "do_lower_case must be true or false, got None",
    ),
    "the tokenizer of GPT-2": (
        write("tokenizer.json", BPE.to_dict()["definition"]),
        "definition must be WordPiece",
    ),
}


@pytest.fixture(scope="module")
def whole_bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    saved(T.BertForPreTraining(bert_config()), folder)
    return folder


@pytest.mark.parametrize(("breaks", "message"), BROKEN_BERT.values(), ids=BROKEN_BERT.keys())
def test_a_broken_bert_is_refused_in_one_line(breaks, message, whole_bert, tmp_path):
    assert_refused(whole_bert, tmp_path / "model", breaks, message)


@pytest.mark.parametrize(
    "name", ["gpt3", "a/b/c", "../weights", "x\0y", "", "owner/", "y" * 10_000, Path("owner/name")]
)
def test_what_is_neither_a_folder_nor_a_repository_is_refused_and_not_fetched(name, monkeypatch):
    monkeypatch.setattr(former.pretrained, "fetch", lambda _: pytest.fail("nothing was to be fetched"))
    with pytest.raises(former.CheckpointError, match="neither a folder nor the id of a repository"):
        former.pretrained.load(name)


def test_a_repository_is_fetched_by_its_id_and_only_what_is_read(whole, monkeypatch):
    requests = []

    def snapshot_download(repo_id: str, revision: str | None, allow_patterns: list[str]) -> str:
        assert revision is None  # the main branch
        requests.append((repo_id, allow_patterns))
        return str(whole)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert former.pretrained.load("gpt2").card["name"] == "gpt2"
    assert former.pretrained.load("someone/a-model").card["name"] == "a-model"
    assert [repo_id for repo_id, _ in requests] == ["openai-community/gpt2", "someone/a-model"]
    assert not any(pattern in ("*", "*.bin") for pattern in requests[0][1])


def test_without_a_network_one_line_says_so(monkeypatch):
    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError("[Errno -3] Temporary failure in name resolution\nand much more")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    with pytest.raises(former.CheckpointError) as refusal:
        former.pretrained.load("distilgpt2")
    assert str(refusal.value) == (
        "'distilgpt2' is not a folder here and cannot be downloaded from Hugging Face: "
        "[Errno -3] Temporary failure in name resolution"
    )


def test_a_folder_goes_before_a_repository_of_its_name(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(former.pretrained, "fetch", lambda _: pytest.fail("nothing was to be fetched"))
    monkeypatch.chdir(tmp_path)
    shutil.copytree(whole, tmp_path / "gpt2")
    assert former.pretrained.load("gpt2").card["name"] == "gpt2"


def test_what_the_format_cannot_express_is_not_written(tmp_path):
    shape: dict[str, Any] = {"num_tokens": 300, "emb": 24, "heads": 4, "depth": 1, "seq_length": 8}
    article = former.ModelConfig(**shape)
    with pytest.raises(ValueError, match="norm must be 'pre', got 'post'"):
        former.pretrained.save(former.Bundle(former.Generator(article), BPE, article), tmp_path)
    with pytest.raises(ValueError, match="got Classifier"):
        former.pretrained.save(former.Bundle(former.Classifier(article), BPE, article), tmp_path)
    for name in ("scaled", "unify"):
        change: dict[str, Any] = {name: False}
        other, words = replace(gpt2.config(**shape), **change), BertConfig(**shape, **change)
        with pytest.raises(ValueError, match=f"{name} must be True, got False"):
            former.pretrained.save(former.Bundle(former.Generator(other), BPE, other), tmp_path)
        with pytest.raises(ValueError, match=f"{name} must be True, got False"):
            former.pretrained.save(former.Bundle(former.Bert(words), BPE, words), tmp_path)
    words = WordTokenizer.build(TEXTS, 20)
    config = gpt2.config(**{**shape, "num_tokens": words.num_tokens})
    with pytest.raises(ValueError, match="must be a BpeTokenizer, like GPT-2's, got WordTokenizer"):
        former.pretrained.save(former.Bundle(former.Generator(config), words, config), tmp_path)
    fits = gpt2.config(**shape)
    fewer = gpt2.config(**{**shape, "num_tokens": 299})
    with pytest.raises(ValueError, match="at most the model's 299 tokens, got 300; take the one"):
        former.pretrained.save(former.Bundle(former.Generator(fewer), BPE, fewer), tmp_path)
    model = former.Generator(fits)
    model.state_dict()["norm.weight"].fill_(torch.nan)
    with pytest.raises(ValueError, match=r"must be finite numbers .* got others in norm.weight"):
        former.pretrained.save(former.Bundle(model, BPE, fits), tmp_path)
    verdict = BertConfig(**{**shape, "num_tokens": 120}, words_head=False, sentence_head=False)
    for classes in (["bad"], ["good", "good"]):
        bundle = former.Bundle(BertClassifier(verdict), PIECES, verdict, {"classes": classes})
        with pytest.raises(ValueError, match="classes must be 2 different names"):
            former.pretrained.save(bundle, tmp_path)
    assert not list(tmp_path.iterdir())


def test_every_short_name_has_the_form_of_a_repository():
    assert all(
        files.is_repo_id(name) and files.is_repo_id(f"{owner}/{name}") for name, owner in files.SHORT_NAMES.items()
    )
