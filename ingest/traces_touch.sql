-- These traces are spoken of since this commit: whoever reads what changed reads them again.
UPDATE traces SET changed_at = ? WHERE id IN (SELECT unnest(?::VARCHAR[]));
