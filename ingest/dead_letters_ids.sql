-- Which dead letters are there?
SELECT id FROM dead_letters ORDER BY id;
