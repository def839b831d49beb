"""What reshaping costs: CPU and memory of runs that unpivot, look up, deduplicate and combine, beside plain runs.

python benchmarks/reshape.py                        the sizes of the promises; about ten minutes
python benchmarks/reshape.py --rows 20000           does it still run
python benchmarks/reshape.py --base OTHER_CLONE     a plain run here beside one of another clone, interleaved

Every run is a process of its own: CPU is its user and system time, memory its largest resident size.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ENGINE = Path("packages/engine/src")
HERE = Path(__file__).resolve().parent.parent
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
HEAD = "from ade_engine import Field\n"
RUN = """
import json, resource, sys
from ade_engine import normalize
source, out, rules = sys.argv[1:4]
result = normalize(source, out, configuration=rules, format="csv")
used = resource.getrusage(resource.RUSAGE_SELF)
failure = result.failure.message if result.failure else None
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "rss": used.ru_maxrss, "failure": failure,
                  "rows": result.artifact["summary"]["rows"]["written"]}))
"""
COMBINE = """
import json, resource, sys
from ade_engine import combine
paths = combine(sys.argv[2:], sys.argv[1])
used = resource.getrusage(resource.RUSAGE_SELF)
with open(paths[0], "rb") as lines:
    rows = sum(1 for _ in lines) - 1
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "rss": used.ru_maxrss, "rows": rows, "failure": None}))
"""


@dataclass(frozen=True)
class Cost:
    """What a process used."""

    cpu: float
    rss: int
    rows: int
    failure: str | None

    @property
    def per_row(self) -> float:
        """Return the microseconds of CPU for each row written."""
        return 1e6 * self.cpu / max(self.rows, 1)


def main() -> int:
    """Measure, and print one line for each run and the ratios last."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rows", type=int, default=1_000_000)
    words.add_argument("--times", type=int, default=3)
    words.add_argument("--base", type=Path)
    given = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="ade-reshape-") as folder:
        if given.base is not None:
            compare_clones(Path(folder), given.base.resolve(), given.rows // 10, given.times)
        else:
            measure(Path(folder), given.rows, given.times)
    return 0


def compare_clones(folder: Path, base: Path, rows: int, times: int) -> None:
    """Run a plain configuration here and in another clone in turn."""
    document = wide(folder / "wide.csv", rows)
    rules = configuration(folder / "plain", ", ".join(f'Field("{month.lower()}", type="integer")' for month in MONTHS))
    costs: dict[str, list[Cost]] = {"base": [], "here": []}
    for number in range(times):
        for name, root in (("base", base), ("here", HERE)):
            costs[name].append(run(document, rules, folder / f"{name}{number}", root=root))
    for name, found in costs.items():
        show(f"plain, {name}", found)
    ratio = median(costs["here"]) / median(costs["base"])
    print(f"\na plain run costs {ratio:.3f} of the CPU it cost in {base.name}")


def measure(folder: Path, rows: int, times: int) -> None:
    """Measure everything at full size, and plain runs beside it."""
    tenth = rows // 10
    month_fields = ", ".join(f'Field("{month.lower()}", type="integer")' for month in MONTHS)
    pair = 'Field("order"), Field("customer"), Field("qty", type="integer")'
    lookup = "customer,segment\n" + "".join(f"C{number},S{number % 7}\n" for number in range(1000))
    long_form = 'Field("centre"), Field("month"), Field("amount", type="integer")'
    month_rules = '[mapping]\nunmapped = "drop"\n[unpivot]\ncolumns = "month"\nname = "month"\nvalue = "amount"\n'
    orders = narrow(folder / "orders.csv", rows)
    found: dict[str, list[Cost]] = {}
    for name, document, rules in (
        ("plain, small", narrow(folder / "small.csv", tenth), configuration(folder / "plain", pair)),
        ("plain", orders, folder / "plain"),
        ("first by key", orders, configuration(folder / "key", pair, rows_toml("first"))),
        ("reported by key", orders, configuration(folder / "report", pair, rows_toml("report"))),
        ("lookup", orders, configuration(
            folder / "lookup", f'{pair}, Field("segment", lookup="customers.csv", lookup_by="customer")',
            files={"customers.csv": lookup})),
        ("filter", orders, configuration(folder / "filter", pair.replace('"customer"', '"customer", drop=["C7"]'))),
        ("wide, plain", wide(folder / "wide.csv", tenth), configuration(folder / "months", month_fields)),
        ("unpivot", folder / "wide.csv", configuration(folder / "unpivot", long_form, month_rules)),
    ):  # fmt: skip
        found[name] = [run(document, rules, folder / f"out-{name}-{number}") for number in range(times)]
        show(name, found[name])
    parts = [folder / f"out-plain-{number}" for number in range(times)]
    found["combine"] = [execute(COMBINE, [folder / "all.csv", *parts])]
    show("combine", found["combine"])
    print(
        f"\nunpivoting costs {per_row(found['unpivot']) / per_row(found['plain']):.2f} of the CPU for each row written"
    )
    flat = max(cost.rss for costs in found.values() for cost in costs)
    small = found["plain, small"][0].rss
    print(f"the largest process took {flat // 1024} MB; a plain run of a tenth of the rows {small // 1024} MB")


def narrow(path: Path, rows: int) -> Path:
    """Write a document of orders; each key comes once."""
    return written(path, "Order,Customer,Qty", (f"A{n},C{n % 1000},{n % 97}" for n in range(rows)))


def wide(path: Path, rows: int) -> Path:
    """Write a document of centres with a column for each month."""
    cells = (",".join(str((n * 7 + month) % 1000) for month in range(12)) for n in range(rows))
    return written(path, ",".join(("Centre", *MONTHS)), (f"C{n},{line}" for n, line in enumerate(cells)))


def written(path: Path, header: str, lines: Iterator[str]) -> Path:
    """Write lines below a header."""
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{header}\n")
        file.writelines(f"{line}\n" for line in lines)
    return path


def configuration(folder: Path, fields: str, toml: str = "", *, files: dict[str, str] | None = None) -> Path:
    """Write a configuration folder."""
    (folder / "columns").mkdir(parents=True)
    (folder / "columns" / "all.py").write_text(f"{HEAD}fields = [{fields}]\n", encoding="utf-8")
    for name, text in {"settings.toml": toml, **(files or {})}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def rows_toml(duplicates: str) -> str:
    """Return settings that compare rows by key."""
    return f'[rows]\nkey = ["order"]\nduplicates = "{duplicates}"\n'


def run(document: Path, rules: Path, out: Path, *, root: Path = HERE) -> Cost:
    """Normalise a document in a process of its own; another clone may want a file for each field."""
    return execute(RUN, [document, out, rules if root == HERE else _split(rules)], root=root)


def _split(rules: Path) -> Path:
    """Return a copy of a configuration with a file for each field."""
    copy = rules.with_name(f"{rules.name}-split")
    (copy / "columns").mkdir(parents=True, exist_ok=True)
    text = (rules / "columns" / "all.py").read_text("utf-8").removeprefix(HEAD).removeprefix("fields = [")
    for number, field in enumerate(text.rstrip("]\n").split("), ")):
        (copy / "columns" / f"f{number:02}.py").write_text(f"{HEAD}field = {field.rstrip(')')})\n", encoding="utf-8")
    return copy


def execute(code: str, words: Sequence[Path], *, root: Path = HERE) -> Cost:
    """Run code of the engine of a clone, and return what it used."""
    environment = {**os.environ, "PYTHONPATH": str(root / ENGINE)}
    command = [sys.executable, "-c", code, *map(str, words)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    cost = Cost(**json.loads(ended.stdout.splitlines()[-1]))
    if cost.failure is not None:
        raise SystemExit(f"a run failed: {cost.failure}")
    return cost


def show(name: str, costs: Sequence[Cost]) -> None:
    """Print the median of some runs."""
    rss = max(cost.rss for cost in costs) // 1024
    print(
        f"{name:18} {costs[0].rows:>10,} rows {median(costs):7.2f} s CPU {per_row(costs):7.2f} µs/row {rss:5} MB",
        flush=True,
    )


def median(costs: Sequence[Cost], of: Callable[[Cost], float] = lambda cost: cost.cpu) -> float:
    """Return the median of some runs."""
    return statistics.median(map(of, costs))


def per_row(costs: Sequence[Cost]) -> float:
    """Return the median of CPU for each row."""
    return median(costs, lambda cost: cost.per_row)


if __name__ == "__main__":
    raise SystemExit(main())
