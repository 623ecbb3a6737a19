"""Dataset + Recipe → Candidate."""
