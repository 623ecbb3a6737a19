-- Which counts of modes are of these nights, and are counted again?
DELETE FROM mode_nights WHERE list_contains(?::VARCHAR[], night);
