-- Remember where the first reader of this partition begins, unless another has begun.
INSERT INTO offsets VALUES (?, ?, ?) ON CONFLICT DO NOTHING;
