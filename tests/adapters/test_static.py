"""Does the static embedder give stable, normalised, meaningful vectors, and say what is wrong with a model?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.adapters.embedders.static import NAME_SHARE, PATH_SHARE, SHIPPED, StaticEmbedder, header_of, load
from clew.adapters.embedders.static_model import BUNDLED, DIGEST, FILES, digest_of
from clew.errors import UsageError

SHIPPED_FOLDER = BUNDLED / SHIPPED


@pytest.fixture(scope="module")
def shipped() -> StaticEmbedder:
    return load("")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED_FOLDER, folder)
    return folder


def small(folder: Path, words: str = "read write file socket", dims: int = 4) -> Path:
    """A model of our own format with a row for each word, each along its own axis."""
    folder.mkdir(exist_ok=True)
    count = len(words.split())
    (folder / "vocab.txt").write_text("\n".join(words.split()) + "\n", "utf-8")
    np.save(folder / "emb_int8.npy", (np.eye(count, dims) * 100).astype(np.int8))
    np.save(folder / "scale.npy", np.full((count, 1), 0.01, np.float16))
    np.save(folder / "qlogw.npy", np.zeros(count, np.float16))
    return folder


# -- vectors --


def test_related_texts_are_nearer_than_unrelated_ones(shipped: StaticEmbedder) -> None:
    documents = [
        "def read_config(path):\n    with open(path) as file:\n        return json.load(file)",
        "def retry(request, attempts):\n    for attempt in range(attempts):\n        try:\n            return request()\n        except TimeoutError:\n            sleep(backoff)",
        "class Matrix:\n    def multiply(self, other):\n        return self.rows @ other.columns",
    ]
    vectors = shipped.embed_documents(documents)
    for question, best in (("load settings from a json file", 0), ("try again after a network timeout", 1), ("matrix product", 2)):
        assert int(np.argmax(vectors @ shipped.embed_query(question))) == best


def test_rows_have_length_one_and_the_promised_shape(shipped: StaticEmbedder) -> None:
    vectors = shipped.embed_documents(["open file", "parse json tree"])
    assert vectors.shape == (2, shipped.space.dims) == (2, 256)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(shipped.embed_query("open file")), 1, rtol=1e-5)


def test_a_text_without_a_known_word_is_all_zeros(shipped: StaticEmbedder) -> None:
    vectors = shipped.embed_documents(["", "→ … 日本", "read a file"])
    assert not vectors[:2].any()
    assert vectors[2].any()
    assert not shipped.embed_query("¿?").any()


def test_no_texts_give_no_rows(shipped: StaticEmbedder) -> None:
    assert shipped.embed_documents([]).shape == (0, 256)


def test_a_text_has_the_same_vector_in_any_company(shipped: StaticEmbedder) -> None:
    texts = [f"def handler_{number}(request): return response {number}" for number in range(1500)]
    together = shipped.embed_documents(texts)
    for place in (0, 1023, 1024, 1499):
        np.testing.assert_array_equal(together[place], shipped.embed_documents([texts[place]])[0])


def test_identifiers_are_split(shipped: StaticEmbedder) -> None:
    camel, snake = shipped.embed_documents(["parseHTTPResponseHeader", "parse_http_response_header"])
    np.testing.assert_allclose(camel, snake, atol=1e-6)


def test_repetition_counts_less_than_proportionally(tmp_path: Path) -> None:
    vector = load(str(small(tmp_path))).embed_documents(["\n\nread read read write"])[0]
    np.testing.assert_allclose(vector[0] / vector[1], 1 + np.log(3), rtol=1e-4)


def test_path_and_name_have_shares_of_their_own(tmp_path: Path) -> None:
    vector = load(str(small(tmp_path))).embed_documents(["read\nwrite\nfile\nsocket"])[0]
    np.testing.assert_allclose(vector / vector[3], [1 + 2 * PATH_SHARE, 1 + 2 * NAME_SHARE, 1, 1], rtol=1e-4)


def test_a_name_is_not_drowned_by_what_follows(tmp_path: Path) -> None:
    vector = load(str(small(tmp_path))).embed_documents(["\nread\n" + "write file socket " * 500])[0]
    assert vector[0] > NAME_SHARE / (1 + NAME_SHARE)


def test_the_header_is_the_two_lines_in_front() -> None:
    assert header_of("src/a.py\nfunction a\ndef a(): ...\n") == ("src/a.py", "function a")
    assert header_of("alone") == ("alone", "")
    assert header_of("") == ("", "")


def test_an_unknown_word_is_covered_by_its_longest_known_pieces(tmp_path: Path) -> None:
    embedder = load(str(small(tmp_path, "file fil name le")))
    np.testing.assert_allclose(embedder.embed_documents(["xfilenames"])[0], np.array([1, 0, 1, 0]) / np.sqrt(2), rtol=1e-4)


def test_a_question_is_weighed_as_the_model_says(tmp_path: Path) -> None:
    folder = small(tmp_path)
    np.save(folder / "qlogw.npy", np.log(np.array([2, 1, 1, 1], np.float16)))
    embedder = load(str(folder))
    asked, indexed = embedder.embed_query("read write"), embedder.embed_documents(["read write"])[0]
    np.testing.assert_allclose(asked[0] / asked[1], 2, rtol=1e-2)
    np.testing.assert_allclose(indexed[0], indexed[1], rtol=1e-4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=5))
def test_any_text_gives_finite_numbers(texts: list[str]) -> None:
    embedder = load("")
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (len(texts), 256)
    assert np.isfinite(vectors).all()
    assert all(np.isfinite(embedder.embed_query(text)).all() for text in texts)


# -- the space --


def test_the_same_model_has_the_same_fingerprint_by_either_name(shipped: StaticEmbedder) -> None:
    assert load(SHIPPED).space == shipped.space
    assert len(shipped.space.fingerprint) == 64


def test_a_copy_of_the_model_has_the_same_fingerprint(shipped: StaticEmbedder, copied: Path) -> None:
    assert load(str(copied)).space.fingerprint == shipped.space.fingerprint


@pytest.mark.parametrize("changed", FILES)
def test_any_change_of_a_file_changes_the_fingerprint(shipped: StaticEmbedder, copied: Path, changed: str) -> None:
    data = bytearray((copied / changed).read_bytes())
    data[-2] ^= 1
    (copied / changed).write_bytes(bytes(data))
    assert load(str(copied)).space.fingerprint != shipped.space.fingerprint


def test_the_digest_beside_the_shipped_model_is_that_of_its_files() -> None:
    assert (SHIPPED_FOLDER / DIGEST).read_text().strip() == digest_of(SHIPPED_FOLDER, FILES)


def test_fewer_dims_keep_the_first_ones_and_make_another_space(shipped: StaticEmbedder) -> None:
    short = load("", 64)
    assert short.space.dims == 64
    assert short.space.fingerprint != shipped.space.fingerprint
    text = ["read a file"]
    first = shipped.embed_documents(text)[:, :64]
    np.testing.assert_allclose(short.embed_documents(text), first / np.linalg.norm(first), atol=1e-6)
    assert load("", 256).space == shipped.space


# -- what can be wrong --


@pytest.mark.parametrize("dims", [0, -1, 257, 1024])
def test_impossible_dims_are_refused_with_the_limit(dims: int) -> None:
    with pytest.raises(UsageError, match="256") as fault:
        load("", dims)
    assert "vector_dims" in fault.value.hint


def test_an_unknown_model_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no static model") as fault:
        load(str(tmp_path / "absent"))
    assert SHIPPED in fault.value.hint


def test_a_folder_without_a_model_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no static model") as fault:
        load(str(tmp_path))
    assert "model.safetensors" in fault.value.hint


@pytest.mark.parametrize("name", ["../models/clew-static-2", "clew-static-2/..", ".", "a\0b"])
def test_a_bundled_model_is_named_not_reached_by_a_path(name: str) -> None:
    with pytest.raises(UsageError):
        load(name)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY junk", b"\xff\xfe\x00"])
def test_a_damaged_file_is_a_usage_error(tmp_path: Path, file: str, content: bytes) -> None:
    folder = small(tmp_path)
    (folder / file).write_bytes(content)
    with pytest.raises(UsageError) as fault:
        load(str(folder))
    assert "copy the model's folder again" in fault.value.hint


def test_a_table_cut_short_is_a_usage_error(copied: Path) -> None:
    table = copied / "emb_int8.npy"
    table.write_bytes(table.read_bytes()[:100_000])
    with pytest.raises(UsageError, match="cannot be read"):
        load(str(copied))


def test_a_pickled_table_is_refused(tmp_path: Path) -> None:
    folder = small(tmp_path)
    np.save(folder / "scale.npy", np.array([{"a": 1}] * 4, dtype=object), allow_pickle=True)
    with pytest.raises(UsageError):
        load(str(folder))


def test_the_module_is_imported_without_numpy() -> None:
    code = "import sys, clew.adapters.embedders.static; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


# -- model2vec folders --


def model2vec(folder: Path, *, dtype: str = "F32", with_weights: bool = False, with_mapping: bool = False) -> Path:
    """A model2vec folder of five words, each along its own axis."""
    words = ["[UNK]", "read", "write", "file", "socket"]
    tokenizer = {
        "version": "1.0",
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": {word: row for row, word in enumerate(words)}, "unk_token": "[UNK]"},
        "added_tokens": [],
        "truncation": {"max_length": 2, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
    }
    kinds = {"F32": np.float32, "F16": np.float16, "I8": np.int8}
    arrays = {"embeddings": np.eye(5).astype(kinds[dtype])}
    if with_weights:
        arrays["weights"] = np.array([1, 3, 1, 1, 1], np.float64)
    if with_mapping:
        arrays["mapping"] = np.array([0, 2, 1, 3, 4], np.int64)
    codes = {
        np.dtype(np.float32): "F32",
        np.dtype(np.float16): "F16",
        np.dtype(np.int8): "I8",
        np.dtype(np.float64): "F64",
        np.dtype(np.int64): "I64",
    }
    header, body = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": codes[array.dtype], "shape": list(array.shape), "data_offsets": [len(body), len(body) + array.nbytes]}
        body += array.tobytes()
    head = json.dumps(header).encode()
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + body)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    (folder / "config.json").write_text('{"normalize": true}', "utf-8")
    return folder


@pytest.mark.parametrize("dtype", ["F32", "F16", "I8"])
def test_a_model2vec_folder_is_the_mean_of_its_known_tokens(tmp_path: Path, dtype: str) -> None:
    embedder = load(str(model2vec(tmp_path, dtype=dtype)))
    expected = np.array([0, 2, 0, 1, 0]) / np.sqrt(5)
    np.testing.assert_allclose(embedder.embed_documents(["Read read quux file"])[0], expected, rtol=1e-5)
    np.testing.assert_allclose(embedder.embed_query("Read read quux file"), expected, rtol=1e-5)
    assert not embedder.embed_query("quux").any()


def test_a_model2vec_folder_with_weights_and_a_mapping(tmp_path: Path) -> None:
    embedder = load(str(model2vec(tmp_path, with_weights=True, with_mapping=True)))
    np.testing.assert_allclose(embedder.embed_query("read file"), np.array([0, 0, 3, 1, 0]) / np.sqrt(10), rtol=1e-5)


def test_model2vec_text_may_be_undecodable(tmp_path: Path) -> None:
    assert load(str(model2vec(tmp_path))).embed_query("read \udce9 file").any()


def test_a_model2vec_folder_changes_its_fingerprint_with_its_dims_and_files(tmp_path: Path) -> None:
    spaces = [load(str(model2vec(tmp_path, with_weights=weighted)), dims).space for weighted in (False, True) for dims in (None, 3)]
    assert len({space.fingerprint for space in spaces}) == 4
    assert [space.dims for space in spaces] == [5, 3, 5, 3]


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff" * 64, (10**15).to_bytes(8, "little") + b"{}"])
def test_a_damaged_model2vec_file_is_a_usage_error(tmp_path: Path, file: str, content: bytes) -> None:
    folder = model2vec(tmp_path)
    (folder / file).write_bytes(content)
    with pytest.raises(UsageError):
        load(str(folder))


def test_a_safetensors_file_cut_short_is_a_usage_error(tmp_path: Path) -> None:
    folder = model2vec(tmp_path)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(UsageError, match="cut short"):
        load(str(folder))
