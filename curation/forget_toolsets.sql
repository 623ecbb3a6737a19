-- Which toolsets were first seen in these traces? The tools stay known, the traces do not.
UPDATE toolsets SET trace_id = '' WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
