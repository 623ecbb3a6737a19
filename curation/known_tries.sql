-- Which tries were made by this champion, asked in this way (the parameter)?
SELECT body FROM champion_tries WHERE tried_by = ? ORDER BY task_id;
