"""Panels about a pass: its predictions, the logit lens, what heads write, and the trace of a weight."""
