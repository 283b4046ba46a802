"""What is said of the language itself."""

from __future__ import annotations

MESSAGES = {
    "language_name": "English",
}
