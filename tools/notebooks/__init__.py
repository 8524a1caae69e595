"""What makes the package, the stored outputs and the downloads out of the notebooks."""
