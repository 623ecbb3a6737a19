-- This decoder read its first records of this partition: (topic, partition, decoder, count).
INSERT INTO decoders_used VALUES (?, ?, ?, ?);
