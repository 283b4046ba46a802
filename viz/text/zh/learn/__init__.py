"""Chinese messages of Learn: files and keys are those of `viz.text.en.learn`."""
