"""Tracemill: the continuous-learning loop for LLM agents."""

__version__ = "0.1.0"
