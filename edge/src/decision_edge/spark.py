"""Decisions of a Spark DataFrame, also of a streaming one (extra: spark)."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, MapType, StringType, StructField, StructType

from ._decide import EdgeDecision
from ._errors import InvalidInput
from .predictor import EdgePredictor

__all__ = ["decide"]

_ROWS_AT_ONCE = 1_000
_FIELDS: dict[str, DataType] = {
    "decision": StringType(),
    "confidence": DoubleType(),
    "classifier_choice": StringType(),
    "classifier_probability": DoubleType(),
    "reason_codes": ArrayType(StringType()),
    "stage": StringType(),
    "class_probabilities": MapType(StringType(), DoubleType()),
    "rules_triggered": ArrayType(StringType()),
    "escalate": BooleanType(),
    "fallback_used": BooleanType(),
    "unfamiliar": BooleanType(),
    "policy_version": StringType(),
    "digest": StringType(),
    "bundle_digest": StringType(),
    "unread": ArrayType(StringType()),
    "rule_errors": ArrayType(StructType([StructField("name", StringType()), StructField("error", StringType())])),
    "error": StringType(),
}
_DECIDED = StructType([StructField(name, kind) for name, kind in _FIELDS.items()])


def decide(
    frame: DataFrame, predictor: EdgePredictor, *, columns: Sequence[str] | None = None, name: str = "decided"
) -> DataFrame:
    """Return the DataFrame with a column more: the decision of each row, as a struct.

    The input is made of `columns`, of all where none are named: structs and dotted names nest, empty cells are left
    out. Of a row that is refused only `error` is filled, of the others all but that. The predictor travels with the
    query and is opened once in each Python process of the executors. Raises ValueError where the DataFrame has a column
    called `name`.
    """
    if name in frame.columns:
        raise ValueError(f"The DataFrame has a column {name!r} already; give the decisions another name.")
    chosen = frame.columns if columns is None else list(columns)
    whole = StructType([*frame.schema.fields, StructField(name, _DECIDED)])
    return frame.mapInArrow(partial(_decide_batches, pickle.dumps(predictor), chosen, name), whole)


def _decide_batches(
    pickled: bytes, columns: list[str], name: str, batches: Iterator[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    predictor, decided_type = _open(pickled), to_arrow_type(_DECIDED)
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            rows = batch.slice(start, _ROWS_AT_ONCE)
            decided = [_to_struct(made) for made in predictor.predict_each(_flatten(rows.select(columns)))]
            yield rows.append_column(name, pyarrow.array(decided, decided_type))


@lru_cache(maxsize=4)
def _open(pickled: bytes) -> EdgePredictor:
    """Open a predictor once in a process, which works through many parts of a DataFrame one after another."""
    predictor: EdgePredictor = pickle.loads(pickled)
    return predictor


def _flatten(batch: pyarrow.RecordBatch) -> pyarrow.Table:
    """Return structs as columns with dotted names, so that their empty cells are left out as well."""
    table = pyarrow.Table.from_batches([batch])
    while any(pyarrow.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return table


def _to_struct(made: EdgeDecision | InvalidInput) -> dict[str, object]:
    if isinstance(made, InvalidInput):
        return {"error": str(made)}
    return {**vars(made), "class_probabilities": list(made.class_probabilities.items())}
