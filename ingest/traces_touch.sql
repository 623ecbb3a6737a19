-- These traces are spoken of since this commit: whoever reads what changed reads them again.
UPDATE trace_rows SET changed_at = ? WHERE id IN ?::VARCHAR[];
