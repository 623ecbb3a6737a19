-- Who (user, when) is to be forgotten?
INSERT INTO forgotten_users VALUES (?, ?) ON CONFLICT DO NOTHING;
