"""What makes the package and the book out of the notebooks."""
