-- Which traces did these commits (first, last, both inclusive) leave?
SELECT body FROM traces WHERE changed_at BETWEEN ? AND ? ORDER BY changed_at, started_at, id;
