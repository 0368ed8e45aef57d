"""What the bundle has learned: features, text, familiarity and the classifier in its ONNX graph."""
