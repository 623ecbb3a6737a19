"""The Prefect flows: they call the stages and hold no logic."""
