"""Packs the package of python/ as a wheel for this machine, with a compiled part that exists already.

    python xtask/python/wheel.py LIBRARY FOLDER

Prints the path of the wheel. For tests: a release is built by maturin, which compiles with the right settings.
"""

import base64
import hashlib
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def metadata(version: str) -> str:
    """Returns the metadata of the package, from pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r"^dependencies = \[(.*?)\]", project, re.MULTILINE | re.DOTALL)
    lines = ["Metadata-Version: 2.1", "Name: textkin", f"Version: {version}"]
    lines += [f"Requires-Dist: {name}" for name in re.findall(r'"(.*?)"', required.group(1) if required else "")]
    return "\n".join(lines) + "\n"


def main() -> None:
    library, folder = Path(sys.argv[1]), Path(sys.argv[2])
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "(.*?)"', manifest, re.MULTILINE)
    version = found.group(1) if found else "0"
    tag = "cp310-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    extension = "pyd" if sys.platform == "win32" else "abi3.so"
    sources = sorted((ROOT / "python/textkin").rglob("*"))
    files = {
        path.relative_to(ROOT / "python").as_posix(): path.read_bytes()
        for path in sources
        if path.suffix in (".py", ".pyi") or path.name == "py.typed"
    }
    files[f"textkin/_textkin.{extension}"] = library.read_bytes()
    about = f"textkin-{version}.dist-info"
    files[f"{about}/METADATA"] = metadata(version).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{about}/entry_points.txt"] = b"[console_scripts]\ntextkin = textkin.__main__:main\n"
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{about}/RECORD"] = (record + f"{about}/RECORD,,\n").encode()
    wheel = folder / f"textkin-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    print(wheel)


if __name__ == "__main__":
    main()
