-- How many dead letters wait, by class and reason?
SELECT reject_class, reason, count(*) FROM dead_letters
WHERE replayed_at IS NULL
GROUP BY ALL ORDER BY count(*) DESC, reject_class, reason;
