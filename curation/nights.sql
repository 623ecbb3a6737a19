-- In which nights were traces seen?
SELECT DISTINCT strftime(started_at, '%Y-%m-%d') AS night FROM trace_facts ORDER BY night;
