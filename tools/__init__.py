"""Programs of the course: they `build` book and package, and `measure` the results."""
