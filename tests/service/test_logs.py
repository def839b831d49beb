"""Lines of the log: what strangers sent cannot act on a terminal, and libraries log in our form."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import logging
from ade.logs import configure_logs, get_logger
configure_logs(log_format={form!r})
get_logger().info("request", path="/\\x1b[2J\\x07pwned", text="two\\nlines")
logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
"""


def logged(form: str) -> str:
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(form=form)], capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.req("A4", "S7")
def test_escape_sequences_of_strangers_do_not_reach_a_terminal() -> None:
    text = logged("console")

    assert "\\x1b[2J\\x07pwned" in text
    assert "\x07" not in text
    assert "Invalid HTTP request received." in text


@pytest.mark.req("A4")
def test_every_line_of_a_json_log_is_json() -> None:
    lines = [json.loads(line) for line in logged("json").splitlines()]

    assert [line["event"] for line in lines] == ["request", "library.message"]
    assert lines[1]["level"] == "warning"
