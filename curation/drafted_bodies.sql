-- What do the packed rows of these numbers (first, last, both inclusive) hold?
SELECT body FROM drafted_tasks WHERE rowid BETWEEN $1 AND $2
UNION ALL
SELECT body FROM drafted_judgements WHERE rowid BETWEEN $1 AND $2
UNION ALL
SELECT body FROM champion_tries WHERE rowid BETWEEN $1 AND $2;
