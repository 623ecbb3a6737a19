-- What does this trace hold?
SELECT body FROM traces WHERE id = ?;
