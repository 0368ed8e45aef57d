"""The service's metrics, for Prometheus."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from .._decide import EdgeDecision

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Metrics:
    """The counts of this process, or with several workers of all of them. No label holds anything of an input."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._decisions = Counter(
            "decision_edge_decisions",
            "Decisions made; escalate: a person should look",
            ("decision_type", "policy_version", "decision", "stage", "escalate"),
            registry=self._registry,
        )
        self._refused = Counter(
            "decision_edge_refused",
            "Requests and items of batches that were refused, by error code",
            ("code",),
            registry=self._registry,
        )
        self._requests = Histogram(
            "decision_edge_request_seconds",
            "Time from a request's head to its answer",
            ("route", "status"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._logged = Counter(
            "decision_edge_logged",
            "Decisions by whether the file of --log has their line",
            ("written",),
            registry=self._registry,
        )
        self._current = Gauge(
            "decision_edge_bundle_current",
            "1 if the current bundle file decides; 0 if it was refused and the version before it decides",
            ("decision_type",),
            multiprocess_mode="livemin",
            registry=self._registry,
        )

    def count_decision(self, decision_type: str, made: EdgeDecision) -> None:
        """Count a decision."""
        escalate = "true" if made.escalate else "false"
        self._decisions.labels(decision_type, made.policy_version, made.decision, made.stage, escalate).inc()

    def count_refusal(self, code: str) -> None:
        """Count a refused request, or a refused item of a batch."""
        self._refused.labels(code).inc()

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(route, status).observe(seconds)

    def count_logged(self, decisions: int, is_written: bool) -> None:
        """Count decisions that were to be logged."""
        self._logged.labels("true" if is_written else "false").inc(decisions)

    def set_current(self, decision_type: str, is_current: bool) -> None:
        """Say whether the current bundle file decides."""
        self._current.labels(decision_type).set(is_current)

    def render(self) -> bytes:
        """Return the counts in Prometheus' text format."""
        registry = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
