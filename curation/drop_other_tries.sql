-- Which tries were made otherwise than this (the parameter)?
DELETE FROM champion_tries WHERE tried_by <> ?;
