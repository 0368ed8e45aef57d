"""ONNX Runtime, loaded so that it sends nothing."""

import os

# From version 1.30 on it keeps an id of the machine in the home folder and sends events to its maker, on Linux too,
# unless this is set before it is loaded. disable_telemetry_events() does not end that.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime

__all__ = ["onnxruntime"]
