"""Model + suite → Scorecard → Verdict."""
