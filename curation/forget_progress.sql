-- How far was this detector? It starts again, or its new place is written next.
DELETE FROM mining_progress WHERE detector = ?;
