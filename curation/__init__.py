"""Trace → Finding → FailureMode → Task, Pair → Dataset."""
