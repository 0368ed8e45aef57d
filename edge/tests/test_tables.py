"""Tables and what stands in their cells are decided as the mappings that they mean."""

from __future__ import annotations

import json
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

from decision_edge import EdgePredictor, InvalidInput
from decision_edge._inputs import split_name
from tiny_bundle import classifier

NAMES = json.loads((Path(__file__).parents[2] / "test" / "cases" / "column-names.json").read_text("utf-8"))["cases"]


@pytest.fixture
def predictor(make_bundle: Any) -> EdgePredictor:
    """Decides by the amount of the loan and a day."""

    def change(entries: dict[str, Any]) -> None:
        day = {"path": ["day"], "kind": "date", "mean": 20000.0, "std": 1000.0}
        entries["features.json"]["fields"].append(day)
        entries["features.json"]["tabular_size"] = 10
        rows = [[1, 0, -1], [0, 3, 0], [0, 1, 0], *([[0, 0, 0]] * 6), [0, 2, 0]]
        entries["classifier.onnx"] = classifier(rows, [], [0, 0, 0])

    return EdgePredictor.from_bundle(make_bundle(change))


def test_a_table_with_dotted_columns_and_empty_cells(predictor: EdgePredictor) -> None:
    expected = predictor.predict_many([{"loan": {"amount": 4}, "day": "2026-01-31"}, {"day": "2026-02-01"}, {}])
    assert len({decision.confidence for decision in expected}) == 3
    frame = pandas.DataFrame({"loan.amount": [4, np.nan, np.nan], "day": ["2026-01-31", "2026-02-01", None]})
    typed = pandas.DataFrame(
        {
            "loan.amount": pandas.array([4, pandas.NA, pandas.NA], "Int64"),
            "day": pandas.to_datetime(["2026-01-31", "2026-02-01", None]),
        }
    )
    arrow = pyarrow.table({"loan.amount": [Decimal(4), None, None], "day": [date(2026, 1, 31), date(2026, 2, 1), None]})
    for table in (frame, typed, arrow, pyarrow.Table.from_pandas(typed), frame.to_dict("records")):
        if isinstance(table, list):
            table = [pandas.Series(row) for row in table]
        assert predictor.predict_many(table) == expected
    assert [predictor.predict(row) for _, row in frame.iterrows()] == expected
    assert predictor.predict_many(frame[:0]) == []


def test_a_table_that_arrow_reads_and_an_array_that_names_no_fields(predictor: EdgePredictor) -> None:
    """A Polars frame is given by the interface that this reader has, too."""
    table = pyarrow.table({"loan.amount": [4.0, None], "day": ["2026-01-31", "2026-02-01"]})
    expected = predictor.predict_many(table)
    assert predictor.predict_many(table.to_reader()) == expected
    assert predictor.predict_each(pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())) == expected
    for array in (np.array([[1.0, 2.0]]), np.array([1, 2])):
        with pytest.raises(InvalidInput, match=r"does not name its fields; give a pandas DataFrame"):
            predictor.predict_many(array)
    with pytest.raises(InvalidInput, match=r"A pyarrow\.ChunkedArray is no table"):
        predictor.predict_many(table["day"])
    with pytest.raises(InvalidInput, match=r"not DataFrame; tables are for predict_many"):
        predictor.predict(table.to_pandas())  # type: ignore[arg-type]


def test_a_row_of_a_table_is_heard_as_the_input_that_it_is(make_bundle: Any) -> None:
    heard: list[Any] = []
    listening = EdgePredictor.from_bundle(make_bundle(), on_decision=lambda values, _: heard.append(values))
    listening.predict(pandas.Series({"loan.amount": 4}))
    assert heard == [{"loan": {"amount": 4}}]


def test_a_number_of_numpy_without_a_dimension_costs_nothing_but_itself(predictor: EdgePredictor) -> None:
    plain = {"loan": {"amount": 3.0}, "day": "2026-01-31"}
    odd = {"loan": {"amount": np.array(3)}, "day": np.array("2026-01-31")}
    refused = {"loan": {"amount": np.array(1j)}}
    expected = predictor.predict(plain)
    assert (
        predictor.predict(odd)
        == predictor.predict({"loan": {"amount": np.longdouble(3)}, "day": "2026-01-31"})
        == expected
    )
    first, second, third = predictor.predict_each([plain, odd, refused])
    assert (first, second) == (expected, expected)
    assert str(third) == "input.loan.amount is of type complex, which JSON does not have."


def test_cells_that_hold_objects_and_columns_that_nothing_reads(predictor: EdgePredictor) -> None:
    columns = {
        "loan": [{"amount": 4}, None, 7],
        "x.y": [1, None, None],
        "x.z": [2, None, 3],
        "day.from": ["a", None, 1],
    }
    rows = [
        {"loan": {"amount": 4}, "x": {"y": 1, "z": 2}, "day": {"from": "a"}},
        {},
        {"loan": 7, "x": 3, "day": {"f": 1}},
    ]
    for table in (pandas.DataFrame(columns), pandas.DataFrame(columns).astype(object)):
        decided = predictor.predict_many(table)
        assert decided == predictor.predict_many(rows)
        for one, row in zip(decided, rows, strict=True):
            assert one.unread == predictor.predict(row).unread
    assert decided[2].unread == [
        "'loan' must be an object",
        "'x' is no field of the policy",
        "'day' must be an ISO 8601 date",
    ]


@pytest.mark.parametrize("amount", [np.int64(4), np.float32(4), Decimal("4.0"), np.array([4])[0]], ids=repr)
def test_numbers_of_other_libraries(predictor: EdgePredictor, amount: Any) -> None:
    assert predictor.predict({"loan": {"amount": amount}}) == predictor.predict({"loan": {"amount": 4}})


@pytest.mark.parametrize("missing", [float("nan"), np.float32("nan"), Decimal("NaN"), pandas.NA, pandas.NaT], ids=repr)
def test_a_missing_value_is_left_out(predictor: EdgePredictor, missing: Any) -> None:
    values = MappingProxyType({"loan": MappingProxyType({"amount": missing}), "day": missing})
    assert predictor.predict(values) == predictor.predict({})
    with pytest.raises(InvalidInput, match=r"input\.days\[0\]"):
        predictor.predict({"days": [missing]})


@pytest.mark.parametrize(
    "day",
    [
        date(2026, 1, 31),
        datetime(2026, 1, 31, tzinfo=timezone.utc),
        pandas.Timestamp("2026-01-31"),
        np.datetime64("2026-01-31T00:00:00.000000000"),
    ],
    ids=repr,
)
def test_dates_and_times(predictor: EdgePredictor, day: Any) -> None:
    assert predictor.predict({"day": day}) == predictor.predict({"day": "2026-01-31"})


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (pandas.DataFrame({"loan": [1], "loan.amount": [2]}), "'loan' and 'loan.amount' name the same place"),
        (pandas.DataFrame([[1, 2]], columns=["loan", "loan"]), "two columns of one name"),
        (pandas.DataFrame([[1, 2]]), "not a string: 0"),
        (pandas.DataFrame(np.zeros((1, 2_001))).add_prefix("c"), "more than 2,000 columns"),
        (pandas.DataFrame({"loan.amount": [1.0, np.inf]}), r"Input 1: input\.loan\.amount is not a finite number"),
    ],
    ids=["nested", "twice", "numbered", "wide", "infinite"],
)
def test_a_table_that_is_no_list_of_inputs_is_refused(predictor: EdgePredictor, table: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        predictor.predict_many(table)


@pytest.mark.parametrize("case", NAMES, ids=lambda case: case["name"])
def test_the_name_of_a_column_nests_where_its_parts_are_called_like_fields(case: Any) -> None:
    assert split_name(case["name"]) == case["path"]


def test_a_column_called_like_a_field_fills_it_whatever_its_name(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        entries["features.json"]["fields"][0]["path"] = ["No", " of rooms"]

    predictor = EdgePredictor.from_bundle(make_bundle(change))
    frame = pandas.DataFrame({"No. of rooms": [4]})
    assert predictor.predict_many(frame) == predictor.predict_many([{"No": {" of rooms": 4}}])
