"""Verdict → MLflow version, alias, served weights; watching the champion."""
