-- How many traces did the commits since this one leave?
SELECT count(*) FROM traces WHERE changed_at > ?;
