"""Tab Learn says: `frame` what all its sections say, and a module for each section."""
