"""Makes tiny distributions: a wheel, and a source distribution that leaves a mark when it is built."""

import base64
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path


def make_wheel(folder: Path, name: str, source: str, *, version: str = "1.0") -> Path:
    """Write a wheel of one module and return its path."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    records = [f"{path},sha256={_digest(text)},{len(text.encode())}" for path, text in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*records, f"{info}/RECORD,,", ""])
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def make_hostile_source(folder: Path, name: str, mark: Path) -> Path:
    """Write a source distribution that leaves a mark when it is built, and return its path.

    It brings its own build backend and needs nothing else: only a refusal keeps its code from running.
    """
    touch = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
    project = f'[project]\nname = "{name}"\ndynamic = ["version"]\n'
    files = {
        "backend.py": touch,
        "setup.py": touch,
        "pyproject.toml": f'[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n{project}',
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}-1.0.tar.gz"
    with tarfile.open(source, "w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{name}-1.0/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return source


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
