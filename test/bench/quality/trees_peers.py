"""Fits the peers on the rows of `table.json` (dense vectors) and prints their times and log-losses as JSON."""

import json
import sys
import time

import lightgbm
import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

with open(sys.argv[1], encoding="utf-8") as file:
    table = json.load(file)


def matrix(name: str) -> numpy.ndarray:
    values = numpy.fromfile(table[name], dtype=numpy.float32)
    return values.reshape(-1, table["width"]).astype(numpy.float64)


train, test = matrix("train"), matrix("test")
labels, expected = numpy.array(table["train_labels"]), numpy.array(table["test_labels"])
peers = {
    "logistic regression": LogisticRegression(max_iter=5000),
    "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0),
    "LightGBM": lightgbm.LGBMClassifier(n_jobs=1, verbose=-1),
}
results = {}
for name, peer in peers.items():
    started = time.perf_counter()
    peer.fit(train, labels)
    took = time.perf_counter() - started
    probabilities = peer.predict_proba(test)
    results[name] = {
        "seconds": took,
        "log_loss": log_loss(expected, probabilities, labels=peer.classes_),
        "accuracy": float((peer.classes_[probabilities.argmax(axis=1)] == expected).mean()),
    }
# The same rounds and leaves as ours, median of three fits on one thread.
times = []
for _ in range(3):
    same = lightgbm.LGBMClassifier(
        n_estimators=table["rounds"], num_leaves=31, min_child_samples=20, n_jobs=1, verbose=-1
    )
    started = time.perf_counter()
    same.fit(train, labels)
    times.append(time.perf_counter() - started)
results["same_rounds"] = {
    "seconds": sorted(times)[1],
    "log_loss": log_loss(expected, same.predict_proba(test), labels=same.classes_),
}
print(json.dumps(results))
