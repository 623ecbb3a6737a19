-- How many of each model version's mined traces failed, of those without an outage, and when?
WITH mined AS (
    SELECT id, model_name, model_version, started_at
    FROM traces
    WHERE changed_at <= (SELECT coalesce(min(changed_at), 0) FROM mining_progress
                         WHERE detector IN (SELECT unnest(?)))  -- not those of an older release
),
judged AS (
    -- A trace failed if its reward or feedback says so; where neither speaks, if a finding does.
    SELECT mined.*,
           facts.met_outage AS had_outage,
           facts.has_passed IS FALSE OR (facts.has_passed IS NULL AND id IN (
               SELECT trace_id FROM findings
               WHERE kind IN ('agent', 'tool', 'policy') AND severity >= ?)) AS has_failed
    FROM mined JOIN trace_facts AS facts ON facts.trace_id = mined.id
)
SELECT model_name,
       model_version,
       count(*) FILTER (NOT had_outage),
       count(*) FILTER (has_failed AND NOT had_outage),
       count(*) FILTER (had_outage),
       min(started_at),
       max(started_at)
FROM judged
GROUP BY model_name, model_version
ORDER BY min(started_at), model_name, model_version;
