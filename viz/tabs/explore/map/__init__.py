"""The map of the attention, as pictures and numbers."""
