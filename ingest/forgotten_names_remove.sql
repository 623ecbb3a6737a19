-- Which names belong to the traces of this user?
DELETE FROM forgotten_names WHERE user_id = ?;
