-- Which findings come from these detectors?
DELETE FROM findings WHERE list_contains(?::VARCHAR[], detector);
