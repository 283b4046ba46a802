"""A text through a model: the run, what is measured of it, and how it is packed for the browser and held."""
