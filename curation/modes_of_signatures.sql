-- Which modes do these signatures belong to?
SELECT signature, mode FROM mode_signatures WHERE list_contains(?::VARCHAR[], signature);
