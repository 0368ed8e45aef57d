"""cleanlab on given out-of-fold probabilities: reads a JSON question from stdin and prints the scores of each method."""
import json
import sys

import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from sklearn.metrics import average_precision_score

question = json.load(sys.stdin)
labels = np.array(question["labels"])
flipped = np.array(question["flipped"])
probabilities = np.clip(np.array(question["probabilities"]), 1e-12, 1)
probabilities /= probabilities.sum(axis=1, keepdims=True)


def score(doubt, listed):
    found = int(flipped[listed].sum())
    return {
        "average_precision": float(average_precision_score(flipped, doubt)),
        "listed": int(listed.sum()),
        "precision": found / max(1, int(listed.sum())),
        "recall": found / int(flipped.sum()),
    }


# Labels without rows would be a gap that cleanlab does not take.
kept = sorted(set(labels.tolist()))
labels = np.searchsorted(kept, labels)
probabilities = probabilities[:, kept] / probabilities[:, kept].sum(axis=1, keepdims=True)
listed = find_label_issues(labels, probabilities)
scores = {"workbench": score(np.array(question["doubt"]), np.array(question["suspect"]))}
for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
    for adjusted in (False, True):
        if adjusted and method == "confidence_weighted_entropy":
            continue
        quality = get_label_quality_scores(labels, probabilities, method=method, adjust_pred_probs=adjusted)
        name = f"cleanlab {method}{' adjusted' if adjusted else ''}"
        scores[name] = score(1 - quality, listed)
print(json.dumps(scores))
