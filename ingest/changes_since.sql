-- Which commits since this one wrote traces that have not been written again, and how many each?
SELECT changed_at, count(*) FROM traces WHERE changed_at > ? GROUP BY changed_at ORDER BY changed_at;
