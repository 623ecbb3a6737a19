-- What number does this commit take?
UPDATE changes SET last_change = last_change + 1 RETURNING last_change;
