"""Panels about the effect of an edit, of a word, or of a part of another text."""
