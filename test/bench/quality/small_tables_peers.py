"""Fits the peers on small tables (dense vectors) and prints their log-losses and accuracies as JSON."""

import json
import sys

import numpy
from catboost import CatBoostClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression


def to_figures(probabilities: numpy.ndarray, expected: numpy.ndarray) -> dict[str, float]:
    chosen = probabilities[numpy.arange(len(expected)), expected]
    return {
        "logLoss": float(-numpy.log(numpy.clip(chosen, 1e-15, 1)).mean()),
        "accuracy": float((probabilities.argmax(axis=1) == expected).mean()),
    }


def compare(table: dict) -> dict[str, dict[str, float]]:
    width = table["width"]
    train = numpy.array(table["train"]).reshape(-1, width)
    test = numpy.array(table["test"]).reshape(-1, width)
    labels, expected = numpy.array(table["train_labels"]), numpy.array(table["test_labels"])
    peers = {
        "scikit-learn: logistic regression": LogisticRegression(max_iter=5000),
        "scikit-learn: random forest": RandomForestClassifier(300, min_samples_leaf=2, random_state=0, n_jobs=1),
        "CatBoost": CatBoostClassifier(
            verbose=0, random_seed=0, thread_count=1, iterations=200, depth=4, allow_writing_files=False
        ),
    }
    return {name: to_figures(peer.fit(train, labels).predict_proba(test), expected) for name, peer in peers.items()}


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([compare(table) for table in json.load(file)]))
