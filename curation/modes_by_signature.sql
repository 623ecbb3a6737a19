-- Which mode does each signature belong to?
SELECT signature, mode FROM mode_signatures;
