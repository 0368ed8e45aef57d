"""The sentence encoder alone, on texts in batches of like length: `bare_encoder.py MODEL ROWS`. Prints JSON.

This is the most that any user of the encoder gets: tokens, batches and embeddings, and nothing decided.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

RUNS = 3
BATCH_TEXTS, BATCH_TOKENS = 32, 1_024


def group(texts: list[list[int]]) -> Iterator[list[list[int]]]:
    batch: list[list[int]] = []
    for text in sorted(texts, key=len):
        if batch and (len(batch) == BATCH_TEXTS or (len(batch) + 1) * len(text) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(text)
    yield batch


def main(model: Path, rows: str) -> dict[str, float]:
    texts = [json.loads(line)["input"]["text"] for line in Path(rows).read_text("utf-8").splitlines()]
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model / "encoder.onnx", options, providers=["CPUExecutionProvider"])
    shapes = {node.name: [side if isinstance(side, int) else 1 for side in node.shape] for node in session.get_inputs()}
    zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes.items() if name[:2] in ("q_", "v_")}
    rates = []
    for _ in range(RUNS):
        before = time.process_time()
        for batch in group([tokenizer.encode(text).ids[:256] for text in texts]):
            ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
            mask = np.zeros_like(ids)
            for row, text in enumerate(batch):
                ids[row, : len(text)] = text
                mask[row, : len(text)] = 1
            session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": mask, **zeros})
        rates.append(len(texts) / (time.process_time() - before))
    return {"rows a processor second": max(rates)}


if __name__ == "__main__":
    json.dump(main(Path(sys.argv[1]), sys.argv[2]), sys.stdout)
