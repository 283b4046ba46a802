"""Panels about attention maps, as pictures and numbers."""
