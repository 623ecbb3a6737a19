-- These decoders read so many more records. Parameters are lists: topics, partitions, decoders, counts.
INSERT INTO decoders_used
SELECT unnest(?::VARCHAR[]), unnest(?::INTEGER[]), unnest(?::VARCHAR[]), unnest(?::BIGINT[])
ON CONFLICT DO UPDATE SET records = decoders_used.records + excluded.records;
