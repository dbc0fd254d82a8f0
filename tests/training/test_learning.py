"""Does the table learn, and is what is written what was learned?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from training.bags import Texts, bags, spelled_out, vocabulary
from training.batches import BATCH, batches, flocked, neighbours
from training.learning import Table, _contrast, learn
from training.scoring import reciprocal_ranks
from training.start import random_table
from training.writing import turned, write

from clew.adapters.embedders.static import header_of, load
from clew.adapters.embedders.word_parts import WordParts

WORDS = [f"{a}{b}" for a in ("red", "blue", "tall", "flat") for b in ("door", "key", "roof", "wall", "lamp")]


def rows(texts: list[str], parts: list[str]) -> csr_array:
    return bags(spelled_out(texts), WordParts(parts))


def texts_of(texts: list[str], parts: list[str]) -> Texts:
    path, name = zip(*map(header_of, texts), strict=True)
    return Texts(rows(texts, parts), rows(list(path), parts), rows(list(name), parts))


def small(seed: int = 1) -> tuple[Table, csr_array, Texts, np.ndarray]:
    """Questions and texts that share no word: word 2n asks, word 2n + 1 answers."""
    count = 64
    asked = csr_array((np.ones(count, np.float32), (np.arange(count), np.arange(count) * 2)), shape=(count, 2 * count))
    texts = csr_array((np.ones(count, np.float32), (np.arange(count), np.arange(count) * 2 + 1)), shape=(count, 2 * count))
    table = Table(random_table(np.full(2 * count, 1e-4), 16, seed), np.zeros(2 * count, np.float32))
    nothing = csr_array(texts.shape, dtype=np.float32)
    return table, asked, Texts(texts, nothing, nothing), np.arange(count)


def trained(steps: int) -> tuple[Table, list[float]]:
    table, asked, texts, same = small()
    places = ((1.0, np.arange(64)) for _ in range(steps))
    return table, list(learn(table, asked, texts, same, places, 7))


def test_questions_come_to_lie_by_their_answers() -> None:
    before, asked, texts, same = small()
    after, losses = trained(400)
    assert losses[-1] < losses[0] / 2
    unlearned = reciprocal_ranks(before.questions(asked), before.texts(texts), same).mean()
    assert reciprocal_ranks(after.questions(asked), after.texts(texts), same).mean() > unlearned + 0.3


def test_what_stands_in_a_name_alone_is_learned_too() -> None:
    table, asked, texts, same = small()
    named = Texts(texts.path, texts.path, texts.whole)
    before = reciprocal_ranks(table.questions(asked), table.texts(named), same).mean()
    list(learn(table, asked, named, same, ((1.0, np.arange(64)) for _ in range(400)), 7))
    assert reciprocal_ranks(table.questions(asked), table.texts(named), same).mean() > before + 0.3


def test_the_same_seed_gives_the_same_table() -> None:
    np.testing.assert_array_equal(trained(20)[0].rows, trained(20)[0].rows)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    chance = np.random.default_rng(3)
    left, right = chance.standard_normal((2, 6, 5)).astype(np.float32)
    same = np.array([0, 1, 2, 3, 4, 4])
    _, slope, _ = _contrast(left.copy(), right.copy(), same)
    step = np.zeros_like(left)
    step[2, 1] = 1e-2
    higher, lower = _contrast(left + step, right.copy(), same)[0], _contrast(left - step, right.copy(), same)[0]
    np.testing.assert_allclose((higher - lower) / 2e-2, slope[2, 1], rtol=0.02)


def test_a_row_counts_parts_as_the_embedder_does() -> None:
    parts = ["open", "door", "lamp"]
    row = rows(["openDoor open_the doorLamps"], parts).toarray()[0]
    np.testing.assert_allclose(row, [1 + np.log(2), 1 + np.log(2), 1], rtol=1e-6)


def test_the_vocabulary_is_what_several_packages_say() -> None:
    spelled = spelled_out(["openDoor", "open lamp", "open door own"])
    owners = np.array([0, 1, 2], np.int32)
    assert vocabulary((spelled,), (owners,), 10, 2) == ["open", "door"]


def test_neighbours_are_texts_that_share_rare_words() -> None:
    texts = [f"{word} thing" for word in WORDS] + ["reddoor roof thing"]
    asked = [f"find {word}" for word in WORDS] + ["other"]
    near = neighbours(rows(asked, [*WORDS, "find", "thing", "roof", "other"]), rows(texts, [*WORDS, "find", "thing", "roof", "other"]), 2)
    assert len(WORDS) in near[0].tolist()
    assert 0 not in near[0].tolist()
    assert near[1].tolist() == [-1, -1]


def test_a_flock_keeps_neighbours_together_and_loses_nobody() -> None:
    near = np.array([[1, -1], [-1, -1], [3, -1], [2, -1], [-1, -1]], np.int32)
    order = flocked(near, np.random.default_rng(0)).tolist()
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert abs(order.index(2) - order.index(3)) == 1


def test_batches_hold_runs_of_one_package_and_the_rate_falls() -> None:
    owners = np.repeat(np.arange(4, dtype=np.int32), 512)
    near = [np.full((512, 3), -1, np.int32)] * 4
    found = list(batches(owners, near, 4.0, 5))
    assert len(found) == 8
    assert all(len(places) == BATCH == len(set(places.tolist())) for _, places in found)
    assert all(len(set(owners[places[:256]].tolist())) == 1 for _, places in found)
    assert found[1][0] > found[-1][0] > 0


def test_what_is_written_is_what_was_learned(tmp_path: Path) -> None:
    parts = sorted({"door", "lamp", "open", "roof"})
    table = Table(random_table(np.full(len(parts), 1e-4), 8, 2), np.linspace(-1, 0, len(parts)).astype(np.float32))
    shown = turned(table, 8)
    write(shown, parts, tmp_path)
    embedder = load(str(tmp_path))
    texts = ["\nroof\nopen door door", "door\n\nlamp roof"]
    np.testing.assert_allclose(embedder.embed_documents(texts), shown.texts(texts_of(texts, parts)), atol=0.02)
    np.testing.assert_allclose(embedder.embed_query(texts[0]), shown.questions(rows(texts[:1], parts))[0], atol=0.02)
    np.testing.assert_allclose(
        table.texts(texts_of(texts, parts)) @ table.texts(texts_of(texts, parts)).T,
        shown.texts(texts_of(texts, parts)) @ shown.texts(texts_of(texts, parts)).T,
        atol=1e-5,
    )
