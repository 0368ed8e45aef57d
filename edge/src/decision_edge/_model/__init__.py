"""The learned parts of a bundle: features, text, familiarity and the classifier in its ONNX graph."""
