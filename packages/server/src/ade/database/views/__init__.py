"""Lists and figures that people and monitoring read."""
