"""Exports: a dataset in the forms of other trainers and environments. `write.py` lists them."""
