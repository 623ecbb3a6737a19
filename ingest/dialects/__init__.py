"""One module for each convention of span attributes, and one table of them."""
