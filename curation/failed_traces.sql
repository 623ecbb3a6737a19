-- How many traces failed, had an outage, or were read at all?
SELECT count(*) FILTER (id IN (SELECT trace_id FROM findings WHERE kind IN ('agent', 'tool', 'policy'))
                        AND id NOT IN (SELECT trace_id FROM findings WHERE kind = 'infrastructure')),
       count(*) FILTER (id IN (SELECT trace_id FROM findings WHERE kind = 'infrastructure')),
       count(*)
FROM traces;
