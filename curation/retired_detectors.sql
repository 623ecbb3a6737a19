-- Which detectors have read the store and are none of these?
SELECT DISTINCT detector FROM mining_progress WHERE NOT list_contains(?::VARCHAR[], detector);
