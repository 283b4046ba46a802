"""Measurements of a trained model: its quality on a split, its heads, its snapshots, its time and memory."""
