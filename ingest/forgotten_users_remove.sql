-- Who is welcome again?
DELETE FROM forgotten_users WHERE user_id = ? RETURNING user_id;
