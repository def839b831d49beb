"""What one look of ade doctor found."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found, and what to do about it."""

    name: str
    verdict: Verdict
    found: str
    advice: str = ""
