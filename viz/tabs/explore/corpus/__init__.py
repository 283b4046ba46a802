"""Panels about the heads of a model over a corpus, and over the steps of training."""
