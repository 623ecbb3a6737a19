-- Which rows of traces come from these traces?
DELETE FROM traces WHERE id IN (SELECT unnest(?::VARCHAR[]));
