-- Is this reader still the one who moves this partition's offset? (new, topic, partition, expected)
UPDATE offsets SET next_offset = ? WHERE topic = ? AND "partition" = ? AND next_offset = ?
RETURNING next_offset;
