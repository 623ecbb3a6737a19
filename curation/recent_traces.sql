-- Which traces began within so many days (the parameter) before the latest?
SELECT id FROM traces WHERE started_at > (SELECT max(started_at) FROM traces) - to_days(?);
