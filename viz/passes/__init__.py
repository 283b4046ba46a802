"""Running a text through a model for the page: the run, measurements of it, and its packed form for the browser."""
