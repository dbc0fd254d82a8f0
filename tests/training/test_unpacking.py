"""Which files of a package are learned from?"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path

from training.unpacking import Source, sampled, sources, stated

CODE = "def work(order):\n    return order\n" * 10


def wheel(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "shop-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("shop-1.0.dist-info/METADATA", "Name: shop\nLicense-Expression: MIT\n\n# Shop\n\nSells things.\n")
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def tar(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def found(paths: list[Path]) -> list[str]:
    return [source.path for source in sources(paths)]


def test_a_wheel_gives_its_code_and_its_description(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"shop/cart.py": CODE})
    assert stated([path]) == "MIT"
    assert found([path]) == ["README.md", "shop/cart.py"]
    assert "Sells things." in sources([path])[0].text


def test_copies_of_other_projects_are_left_out(tmp_path: Path) -> None:
    files = dict.fromkeys(
        ("shop/_vendor/lib.py", "shop/requests/api.py", "shop/third_party/a.py", "shop/redis.py", "shop/own.py", "node_modules/a/b.js"),
        CODE,
    )
    assert found([wheel(tmp_path, files)]) == ["README.md", "shop/own.py"]


def test_a_file_that_says_it_is_a_benchmarks_is_left_out(tmp_path: Path) -> None:
    assert found([wheel(tmp_path, {"shop/json.hpp": "// Niels Lohmann, nlohmann/json\n" + CODE})]) == ["README.md"]


def test_bundles_tables_and_pictures_are_left_out(tmp_path: Path) -> None:
    files = {"a.min.js": CODE, "big.py": CODE * 1000, "logo.png": CODE, "types.d.ts": CODE, "tiny.py": "x = 1\n"}
    assert found([wheel(tmp_path, files)]) == ["README.md"]


def test_of_an_npm_module_that_is_there_twice_the_source_is_taken(tmp_path: Path) -> None:
    manifest = json.dumps({"name": "shop", "license": "ISC"})
    files = {"package/package.json": manifest, "package/src/cart.ts": CODE, "package/dist/cart.js": CODE, "package/dist/esm/only.js": CODE}
    path = tar(tmp_path / "shop-1.0.tgz", files)
    assert stated([path]) == "ISC"
    assert found([path]) == ["dist/esm/only.js", "src/cart.ts"]


def test_files_of_a_debian_source_under_another_licence_are_left_out(tmp_path: Path) -> None:
    upstream = tar(tmp_path / "shop_1.0.orig.tar.gz", {"shop-1.0/src/cart.c": CODE, "shop-1.0/extra/gnu.c": CODE})
    rules = "Files: *\nCopyright: a\nLicense: Expat\n\nFiles: extra/*\nCopyright: b\nLicense: GPL-2\n"
    debian = tar(tmp_path / "shop_1.0-1.debian.tar.gz", {"debian/copyright": rules})
    assert stated([upstream, debian]) == "Expat"
    assert found([upstream, debian]) == ["src/cart.c"]


def test_a_sample_is_the_same_each_time_and_keeps_the_readme() -> None:
    everything = [Source("README.md", "x" * 500), *(Source(f"src/{number}.py", "y" * 100) for number in range(50))]
    some = sampled(everything, 1000)
    assert some == sampled(list(reversed(everything)), 1000)
    assert len(some) == 11
    assert some[0].path == "README.md"
