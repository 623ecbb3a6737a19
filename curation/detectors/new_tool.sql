-- Which tools was an agent first offered in a trace changed since (the parameter), though not in
-- the first toolset that it ever had?
WITH offered AS (
    SELECT agent, tool, arg_min(trace_id, (started_at, trace_id)) AS trace_id,
           min(started_at) AS started_at
    FROM toolsets
    GROUP BY agent, tool
), beginning AS (
    SELECT agent, min(started_at) AS started_at FROM trace_facts GROUP BY agent
)
SELECT offered.trace_id, offered.tool
FROM offered
JOIN beginning ON beginning.agent = offered.agent AND offered.started_at > beginning.started_at
JOIN traces ON traces.id = offered.trace_id
WHERE traces.changed_at > ?
ORDER BY offered.trace_id, offered.tool;
