"""The Chinese messages, in simplified characters: files and keys are those of `viz.text.en`."""

from viz.text.collect import collect

MESSAGES = collect(__name__)
