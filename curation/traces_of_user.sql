-- Which traces are of this user?
SELECT id FROM traces WHERE user_id = ? ORDER BY id;
