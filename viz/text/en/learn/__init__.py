"""Messages of Learn: `frame` for all its sections, and a module for each section."""
