"""The wire → Trace → DuckDB."""
