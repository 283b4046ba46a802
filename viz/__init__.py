"""The web page: packs the results of models for the browser and draws them there. Imports former; former never imports
viz."""
