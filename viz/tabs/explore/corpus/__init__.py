"""The heads over a corpus, and over the steps of training."""
