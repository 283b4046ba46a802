"""What changes with an edit, a word or a part of another text."""
