-- What do the ready traces of this batch hold?
SELECT body FROM trace_rows WHERE changed_at = ?;
