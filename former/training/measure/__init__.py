"""What is measured of a trained model: its figure on a split, its heads, its snapshots, its time and memory."""
