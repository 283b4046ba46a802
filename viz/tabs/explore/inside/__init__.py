"""What stands inside a pass: its predictions, the logit lens, what heads write, the trace of a weight."""
