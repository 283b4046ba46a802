"""Tab Learn in Chinese."""
