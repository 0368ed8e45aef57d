"""Gradient-boosted trees of scikit-learn, kept by joblib, on the same rows: `peers.py fit TRAIN MODEL`, then in a process
of its own `peers.py measure MODEL ROWS COPIES`, which prints JSON."""

import json
import sys
import time
from pathlib import Path
from statistics import median

from measure import RUNS, read_memory


def read(path: str):
    import pandas

    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    frame = pandas.json_normalize([row["input"] for row in rows])
    frame["arrival"] = pandas.to_datetime(frame["arrival"]).astype("int64") / 86.4e12
    return frame, [row["decision"] for row in rows]


def fit(train: str, path: str) -> None:
    import joblib
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame, labels = read(train)
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    texts = make_column_selector(dtype_exclude=["number", "bool"])
    columns = make_column_transformer((encode, texts), remainder="passthrough")
    joblib.dump(make_pipeline(columns, HistGradientBoostingClassifier(random_state=1)).fit(frame, labels), path)


def measure(path: str, rows: str, copies: int) -> dict[str, float]:
    bare = read_memory()
    started = time.perf_counter()
    import joblib
    import pandas  # noqa: F401
    import sklearn.ensemble
    import sklearn.pipeline  # noqa: F401

    imported = time.perf_counter()
    model = joblib.load(path)
    loaded = time.perf_counter()
    asked, _ = read(rows)
    model.predict_proba(asked)
    spent = []
    before = time.process_time()
    for at in range(300):
        row = asked.iloc[at : at + 1]
        begun = time.perf_counter()
        model.predict_proba(row)
        spent.append((time.perf_counter() - begun) * 1_000)
    alone = (time.process_time() - before) / len(spent)
    spent.sort()
    rates = []
    for _ in range(RUNS):
        before = time.process_time()
        model.predict_proba(asked)
        rates.append(len(asked) / (time.process_time() - before))
    others = [joblib.load(path) for _ in range(copies - 1)]
    return {
        "import ms": (imported - started) * 1_000,
        "load ms": (loaded - imported) * 1_000,
        "p50 ms": spent[len(spent) // 2],
        "p99 ms": spent[len(spent) * 99 // 100],
        "processor µs a call": alone * 1e6,
        "rows a processor second": median(rates),
        "best of five": max(rates),
        f"MB with {1 + len(others)} loaded": read_memory() - bare,
    }


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        fit(*sys.argv[2:])
    else:
        json.dump(measure(sys.argv[2], sys.argv[3], int(sys.argv[4])), sys.stdout)
