"""An engineer decides many rows by Spark and the like, which `npm run test:edge -- --many-machines` installs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, spark_partition_id

from decision_edge import EdgePredictor
from decision_edge.spark import decide

SOURCE = Path(__file__).parents[1] / "src"


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=str(SOURCE), SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    yield session
    session.stop()


def read(spark: SparkSession, rows: list[dict[str, Any]], folder: Path) -> DataFrame:
    """Read rows as Spark reads a file of JSON lines: what a row lacks is empty, in structs too."""
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return spark.read.json(str(folder / "rows.jsonl"))


def refuse_negative(entries: dict[str, Any]) -> None:
    amount = {"type": "number", "minimum": -100}
    entries["input_schema.json"] = {"properties": {"loan": {"properties": {"amount": amount}}}}


def test_every_row_is_decided_as_the_package_decides_it(spark: SparkSession, make_bundle: Any, tmp_path: Path) -> None:
    """Over several parts of a DataFrame, the other columns left as they are [SRV-10]."""
    random = Random(3)
    rows = [{"id": id, "loan": {"amount": random.uniform(-5, 5)} if id % 7 else {}} for id in range(5_000)]
    rows[0]["loan"] = {"amount": 1.0, "purpose": "car"}
    predictor = EdgePredictor.from_bundle(make_bundle())
    frame = read(spark, rows, tmp_path).repartition(8)
    decided = decide(frame, predictor, columns=["loan"])
    assert decided.columns == ["id", "loan", "decided"]
    answers = {row.id: row.decided.asDict() for row in decided.collect()}
    assert len(answers) == 5_000
    for row, expected in zip(rows, predictor.predict_many([{"loan": row["loan"]} for row in rows]), strict=True):
        answer = answers[row["id"]]
        assert answer.pop("error") is None
        assert answer.pop("class_probabilities") == pytest.approx(expected.class_probabilities, abs=1e-6)
        assert answer.pop("confidence") == pytest.approx(expected.confidence, abs=1e-6)
        assert answer == {name: value for name, value in expected.to_dict().items() if name in answer}
    assert decided.select("decided.decision", spark_partition_id()).distinct().count() > 8


def test_a_refused_row_is_told_in_its_place(spark: SparkSession, make_bundle: Any, tmp_path: Path) -> None:
    """[SRV-10]"""
    predictor = EdgePredictor.from_bundle(make_bundle(refuse_negative))
    rows = [{"id": 1, "loan": {"amount": 4}}, {"id": 2, "loan": {"amount": -200}}, {"id": 3, "loan": {"amount": -4}}]
    decided = decide(read(spark, rows, tmp_path), predictor, columns=["loan"], name="answer").orderBy("id")
    first, second, third = (row.answer for row in decided.collect())
    assert (first.decision, first.error, third.decision) == ("approve", None, "reject")
    assert second.decision is None
    assert "input.loan.amount does not satisfy minimum" in second.error
    with pytest.raises(ValueError, match="has a column 'id'"):
        decide(decided, predictor, name="id")


def test_texts_are_read_as_the_type_reads_them(spark: SparkSession, make_bundle: Any, tmp_path: Path) -> None:
    """Columns that Spark read as strings, as those of a CSV file [SRV-10]."""
    comma = {"path": ["loan", "amount"], "reading": {"kind": "number", "decimal": ",", "missing": ["n/a"]}}
    predictor = EdgePredictor.from_bundle(make_bundle(readings=[comma]))
    amounts: list[tuple[str, float | None]] = [
        ("3,5", 3.5),
        ("-2,25", -2.25),
        ("n/a", None),
        ("", None),
        ("viel", None),
    ]
    frame = read(spark, [{"loan": {"amount": text}} for text, _ in amounts], tmp_path)
    decided = [row.decided for row in decide(frame, predictor).collect()]
    inputs = [{"loan": {} if amount is None else {"amount": amount}} for _, amount in amounts]
    expected = predictor.predict_many(inputs)
    assert [row.confidence for row in decided] == pytest.approx([each.confidence for each in expected], abs=1e-6)
    assert [row.decision for row in decided] == [each.decision for each in expected]
    assert [bool(row.unread) for row in decided] == [False, False, False, False, True]


def test_a_stream_is_decided_as_it_comes(spark: SparkSession, make_bundle: Any, tmp_path: Path) -> None:
    """[SRV-10]"""
    source = tmp_path / "in"
    source.mkdir()
    (source / "one.json").write_text('{"loan": {"amount": 4}}\n{"loan": {"amount": -4}}\n', encoding="utf-8")
    predictor = EdgePredictor.from_bundle(make_bundle())
    stream = spark.readStream.schema("loan STRUCT<amount: DOUBLE>").json(str(source))
    query = decide(stream, predictor).writeStream.format("memory").queryName("answers").trigger(availableNow=True)
    query.start().awaitTermination()
    answers = spark.table("answers").select(col("decided.decision")).collect()
    assert sorted(row.decision for row in answers) == ["approve", "reject"]


def test_a_lazy_table_of_polars_is_decided_as_its_rows(make_bundle: Any) -> None:
    """[SRV-11]"""
    predictor = EdgePredictor.from_bundle(make_bundle())
    table = polars.DataFrame({"loan.amount": [4.0, -4.0, None]})
    decided = [each.decision for each in predictor.predict_many(table.lazy())]
    assert decided == [each.decision for each in predictor.predict_many(table)] == ["approve", "reject", "approve"]


PAGE = (SOURCE.parents[1] / "docs/many-machines.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (\w+)\n.*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize(
    ("name", "decided"),
    [
        ("Spark", "'decided/*.parquet'"),
        ("Polars", "'polars.parquet'"),
        ("DuckDB", "decided"),
        ("Ray", "'ray/*.parquet'"),
        ("Dask", "'dask/*.parquet'"),
    ],
)
def test_every_recipe_of_the_page_decides_as_the_package(
    make_bundle: Any, tmp_path: Path, name: str, decided: str
) -> None:
    """[SRV-11]"""
    random = Random(5)
    inputs = [{"loan": {"amount": random.uniform(-5, 5) if id % 9 else None}} for id in range(25_000)]
    rows = pyarrow.Table.from_pylist([{"id": id, **input} for id, input in enumerate(inputs)])
    pyarrow.parquet.write_table(rows, tmp_path / "inputs.parquet")
    predictor = EdgePredictor.from_bundle(make_bundle())
    recipe = RECIPES[name] + ('decided.write_parquet("polars.parquet")' if name == "Polars" else "")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYSPARK_PYTHON": sys.executable}
    environment["RAY_USAGE_STATS_ENABLED"] = "0"
    done = subprocess.run(
        [sys.executable, "-c", recipe], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(tmp_path / "decisions.duckdb")) as database:
        place = decided.replace("'", f"'{tmp_path}/", 1) if "'" in decided else decided
        made = database.sql(f"SELECT decision, escalate FROM {place} ORDER BY id").fetchall()
    assert made == [(each.decision, each.escalate) for each in predictor.predict_many(inputs)]
