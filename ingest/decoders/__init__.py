"""One module for each encoding of a record, and one table of them."""
