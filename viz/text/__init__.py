"""The words of the app, a package for each language."""
