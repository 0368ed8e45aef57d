"""Gradient-boosted trees of scikit-learn, kept by joblib, on the same rows: `peers.py TRAIN ROWS`. Prints JSON."""

import json
import sys
import tempfile
import time
from pathlib import Path

import joblib
import pandas
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

RUNS = 5


def read(path: str) -> tuple[pandas.DataFrame, list[str]]:
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    frame = pandas.json_normalize([row["input"] for row in rows])
    frame["arrival"] = pandas.to_datetime(frame["arrival"]).astype("int64") / 86.4e12
    return frame, [row["decision"] for row in rows]


def main(train: str, rows: str) -> dict[str, float]:
    frame, labels = read(train)
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    texts = make_column_selector(dtype_exclude=["number", "bool"])
    columns = make_column_transformer((encode, texts), remainder="passthrough")
    fitted = make_pipeline(columns, HistGradientBoostingClassifier(random_state=1)).fit(frame, labels)
    with tempfile.TemporaryDirectory() as folder:
        joblib.dump(fitted, f"{folder}/model.joblib")
        started = time.perf_counter()
        model = joblib.load(f"{folder}/model.joblib")
        loaded = time.perf_counter()
    asked, _ = read(rows)
    model.predict_proba(asked)
    spent = []
    for at in range(300):
        row = asked.iloc[at : at + 1]
        begun = time.perf_counter()
        model.predict_proba(row)
        spent.append((time.perf_counter() - begun) * 1_000)
    spent.sort()
    rates = []
    for _ in range(RUNS):
        before = time.process_time()
        model.predict_proba(asked)
        rates.append(len(asked) / (time.process_time() - before))
    return {
        "load ms": (loaded - started) * 1_000,
        "p50 ms": spent[len(spent) // 2],
        "p99 ms": spent[len(spent) * 99 // 100],
        "rows a processor second": max(rates),
    }


if __name__ == "__main__":
    json.dump(main(sys.argv[1], sys.argv[2]), sys.stdout)
