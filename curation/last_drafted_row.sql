-- What is the highest number of a row in the tables that hold packed rows?
SELECT greatest((SELECT coalesce(max(rowid), 0) FROM drafted_tasks),
                (SELECT coalesce(max(rowid), 0) FROM drafted_judgements),
                (SELECT coalesce(max(rowid), 0) FROM champion_tries));
