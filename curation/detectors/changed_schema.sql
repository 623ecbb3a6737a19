-- Which tools have another schema in a trace changed since (the parameter) than the agent's traces
-- had before?
WITH versions AS (
    SELECT agent, tool, schema, arg_min(trace_id, (started_at, trace_id)) AS trace_id,
           min(started_at) AS started_at
    FROM toolsets
    GROUP BY agent, tool, schema
), changes AS (
    SELECT agent, tool, schema, trace_id,
           lag(schema) OVER (PARTITION BY agent, tool ORDER BY started_at, trace_id) AS former
    FROM versions
)
SELECT changes.trace_id, changes.tool, changes.former, changes.schema
FROM changes JOIN traces ON traces.id = changes.trace_id
WHERE changes.former IS NOT NULL AND traces.changed_at > ?
ORDER BY changes.trace_id, changes.tool;
