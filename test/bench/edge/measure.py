"""Figures of one bundle in one process, as JSON: `measure.py BUNDLE ROWS COPIES [tables]`, with `tables` also of rows
as pandas and pyarrow hold them. The package is that of PYTHONPATH."""

import json
import resource
import sys
import time
from statistics import median

RUNS = 5


def read_memory() -> float:
    """The resident megabytes of this process now."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def measure_rates(predictor, inputs) -> list[float]:
    """Rows a processor second of each run."""
    rates = []
    for _ in range(RUNS):
        before = time.process_time()
        predictor.predict_many(inputs)
        rates.append(len(inputs) / (time.process_time() - before))
    return rates


def measure_tables(predictor, inputs) -> dict[str, float]:
    import pandas
    import pyarrow

    frame = pandas.json_normalize(inputs)
    tables = {"DataFrame": frame, "Arrow table": pyarrow.Table.from_pandas(frame)}
    return {f"the same, {name}": median(measure_rates(predictor, table)) for name, table in tables.items()}


def main(path: str, rows_path: str, copies: int, with_tables: bool) -> dict[str, object]:
    with open(rows_path, encoding="utf-8") as file:
        inputs = [json.loads(line)["input"] for line in file]
    bare = read_memory()
    started = time.perf_counter()
    from decision_edge import EdgePredictor

    imported = time.perf_counter()
    predictor = EdgePredictor.from_bundle(path)
    loaded = time.perf_counter()

    spent = []
    before = time.process_time()
    for values in inputs[:1_000]:
        at = time.perf_counter()
        predictor.predict(values)
        spent.append((time.perf_counter() - at) * 1_000)
    alone = (time.process_time() - before) / len(spent)
    spent.sort()

    decided = predictor.predict_many(inputs)
    rates = measure_rates(predictor, inputs)
    others = [EdgePredictor.from_bundle(path) for _ in range(copies - 1)]
    memory = read_memory()
    digest = [(decision.decision, decision.confidence, decision.stage) for decision in decided]
    differing = sum(predictor.predict(values).decision != one.decision for values, one in zip(inputs[:100], decided))
    facts = {
        "import ms": (imported - started) * 1_000,
        "load ms": (loaded - imported) * 1_000,
        "p50 ms": spent[len(spent) // 2],
        "p99 ms": spent[len(spent) * 99 // 100],
        "processor µs a call": alone * 1e6,
        "rows a processor second": median(rates),
        "best of five": max(rates),
        f"MB with {1 + len(others)} loaded": memory - bare,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if with_tables:
        facts |= measure_tables(predictor, inputs)
    return {"facts": facts, "decided": digest, "differing": differing}


if __name__ == "__main__":
    json.dump(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), "tables" in sys.argv[4:]), sys.stdout)
