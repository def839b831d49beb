"""What the command line prints of strangers' text, a terminal shows and does not obey."""

import pytest

from ade.cli.output import fail
from ade.errors import BackupDamaged


def test_an_error_that_quotes_a_stranger_has_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    fail(BackupDamaged("In files/\x1b]0;title\x07:\nbyte 1 is missing."))

    printed = capsys.readouterr().err
    assert "\x1b" not in printed
    assert "\x07" not in printed
    assert printed.endswith("     byte 1 is missing.\n")
