-- Which users are forgotten?
SELECT user_id FROM forgotten_users;
