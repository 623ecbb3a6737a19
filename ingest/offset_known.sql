-- From which offset is this partition to be read?
SELECT next_offset FROM offsets WHERE topic = ? AND "partition" = ?;
