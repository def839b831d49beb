"""What a build is made from, as a digest: equal fingerprints, equal builds."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

# They say which packages a build installs; a change in them must change the fingerprint by themselves too.
DEPENDENCY_FILES = ("requirements.txt", "pyproject.toml")
MOST_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a build depends on besides its files."""

    engine_version: str
    python_version: str
    platform: str

    def __str__(self) -> str:
        return f"ade-engine {self.engine_version}, {self.python_version}, {self.platform}"[:MOST_CHARACTERS]


def digest_of_files(digests: Mapping[str, str]) -> str:
    """Return the digest of a version's files, given the sha256 of each by path."""
    whole = hashlib.sha256()
    for path in sorted(digests):
        name = path.encode()
        whole.update(b"%d\n%s%s\n" % (len(name), name, digests[path].encode()))
    return whole.hexdigest()


def fingerprint(digests: Mapping[str, str], surroundings: Surroundings) -> str:
    """Return the fingerprint of a configuration's files, dependencies, engine, Python and platform."""
    dependencies = digest_of_files({path: digests[path] for path in DEPENDENCY_FILES if path in digests})
    parts = (
        "ade-build-1",
        digest_of_files(digests),
        dependencies,
        surroundings.engine_version,
        surroundings.python_version,
        surroundings.platform,
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
