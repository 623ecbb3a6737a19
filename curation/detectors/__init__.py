"""Detectors: each finds one weakness in one trace. The table of them is in `table.py`."""
