-- Which counts of traces are of these nights, and are counted again?
DELETE FROM night_counts WHERE list_contains(?::VARCHAR[], night);
