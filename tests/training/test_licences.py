"""Is a licence understood as what it is?"""

from __future__ import annotations

import pytest
from training.licences import is_permissive, of_debian, of_npm, of_texts, of_wheel
from training.packages import listed
from training.unpacking import EXCLUDED


@pytest.mark.parametrize(
    "stated",
    [
        "MIT", "Apache-2.0", "Apache License, Version 2.0", "BSD-3-Clause", "New BSD License", "ISC", "MIT OR GPL-3.0", "(MIT OR CC0-1.0)", "MIT License",
        "Apache-2.0 AND MIT", "BSD-3-clause or GPL-2", "Expat", "Apache Software License", "Python Software Foundation License", "0BSD", "Unlicense", "MIT/X11",
        "Apache-2.0 or Expat", "BSD-2-Clause and MIT", "MIT AND (Apache-2.0 OR GPL-3.0)", "(MIT OR GPL-2.0) AND (ISC OR MPL-2.0)", "GPL-2 or Expat, and ISC",
    ],
)  # fmt: skip
def test_what_lets_anybody_do_anything_is_permissive(stated: str) -> None:
    assert is_permissive(stated)


@pytest.mark.parametrize(
    "stated",
    ["", "GPL-3.0", "LGPL-2.1-or-later", "MIT and GPL-2.0", "MPL-2.0", "BUSL-1.1", "AGPLv3+", "Proprietary", "SEE LICENSE IN LICENSE", "CC-BY-NC-4.0", "UNLICENSED", "EPL-2.0 OR GPL-2.0",
     "MPL-2.0 AND (Apache-2.0 OR MIT)", "(MIT OR Apache-2.0) AND MPL-2.0", "Expat or GPL-2, and GPL-3", "(MIT OR (ISC AND GPL-2.0)) AND LGPL-3.0"],
)  # fmt: skip
def test_anything_else_is_not(stated: str) -> None:
    assert not is_permissive(stated)


def test_a_wheel_states_its_licence_in_one_of_four_ways() -> None:
    assert of_wheel("Name: a\nLicense-Expression: MIT\n\nText", []) == "MIT"
    assert of_wheel("Name: a\nClassifier: License :: OSI Approved :: BSD License\n\n", []) == "BSD License"
    assert of_wheel("Name: a\nLicense: Apache 2.0\n\n", []) == "Apache 2.0"
    assert of_wheel("Name: a\n\n", ["Permission is hereby granted, free of\n charge, to any person"]) == "MIT"
    assert of_wheel("Name: a\n\n", []) == ""


def test_one_copyleft_text_among_others_is_enough_to_leave_a_package_out() -> None:
    assert of_texts(["Apache License 2.0", "GNU General Public License"]) == ""


def test_npm_states_it_as_text_object_or_list() -> None:
    assert of_npm({"license": "ISC"}) == "ISC"
    assert of_npm({"license": {"type": "MIT"}}) == "MIT"
    assert of_npm({"licenses": [{"type": "MIT"}, {"type": "GPL"}]}) == "MIT or GPL"
    assert of_npm({}) == ""


def test_debian_states_it_for_each_pattern() -> None:
    text = "Format: x\n\nFiles: *\nCopyright: a\nLicense: Expat\n\nFiles: contrib/a.c\n contrib/b.c\nCopyright: b\nLicense: GPL-2+\n\nLicense: Expat\n text\n"
    assert of_debian(text) == [(["*"], "Expat"), (["contrib/a.c", "contrib/b.c"], "GPL-2+")]


def test_every_listed_package_is_permissive_and_pinned() -> None:
    packages = listed()
    assert len(packages) > 500
    for package in packages:
        assert is_permissive(package.licence), package
        assert package.files, package
        assert all(len(digest) == 64 for _, digest in package.files), package


def test_no_benchmark_is_listed() -> None:
    assert not {package.name.lower() for package in listed()} & EXCLUDED
