-- What do the ready traces of this batch hold?
SELECT body FROM ready_traces WHERE batch = ?;
