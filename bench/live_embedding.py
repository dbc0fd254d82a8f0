#!/usr/bin/env python3
"""Does a provider's real service answer as clew expects? Asked only by hand, with keys from the environment: a few texts, less than a cent.

VOYAGE_API_KEY=… live_embedding.py voyage:voyage-4 [openai: gemini: …]
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np

from clew.adapters.access import access
from clew.errors import ClewError
from clew.plugins import load_embedder
from clew.settings import load_settings

TEXTS = (
    "src/retry.py\nfunction retry_upload\ndef retry_upload(file): ...  # tries three times",
    "src/colour.py\nfunction mix\ndef mix(red, blue): return (red + blue) / 2",
    "src/money.py\nclass Invoice\nclass Invoice: total: Decimal",
    "src/long.py\nfunction long\n" + "value = compute(value)\n" * 20_000,
)
QUESTIONS = (("where is a failed upload tried again", 0), ("what is the sum of a bill", 2))


def live(spec: str) -> bool:
    """Whether the service did as it should; says what it did."""
    embedder = load_embedder(spec, None, partial(access, load_settings(Path.cwd())))
    vectors = embedder.embed_documents(TEXTS)
    lengths = np.linalg.norm(vectors, axis=1)
    found = [int(np.argmax(vectors @ embedder.embed_query(question))) for question, _ in QUESTIONS]
    right = found == [place for _, place in QUESTIONS] and bool(np.allclose(lengths, 1, atol=1e-3))
    print(
        f"{spec}: {embedder.space.model}, {vectors.shape[1]} numbers, lengths {lengths.round(4).tolist()}, nearest {found}: {'as expected' if right else 'WRONG'}"
    )
    return right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="+")
    right = True
    for spec in parser.parse_args().spec:
        try:
            right &= live(spec)
        except ClewError as fault:
            print(f"{spec}: {fault.message} ({fault.hint})")
            right = False
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
