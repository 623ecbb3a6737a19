-- This decoder read so many more records of this partition: (count, topic, partition, decoder).
UPDATE decoders_used SET records = records + ? WHERE topic = ? AND "partition" = ? AND decoder = ?
RETURNING records;
