-- Up to which commit has this version of this detector read?
SELECT changed_at FROM mining_progress WHERE detector = ? AND version = ?;
