"""Serving: bodies, limits and refusals, one pool of work with shared answers, rooms, and trainings."""
