"""What makes the pages of the book, their search, slides, PDF and picture."""
