"""The page: what a model did, packed for the browser and drawn there. Imports former; former never imports this."""
