-- How many of each model version's mined traces failed, of those without an outage, and when?
WITH mined AS (
    SELECT id, model_name, model_version, started_at
    FROM traces
    WHERE changed_at <= (SELECT coalesce(min(changed_at), 0) FROM mining_progress
                         WHERE detector IN (SELECT unnest(?)))  -- not those of an older release
),
judged AS (
    SELECT mined.*,
           id IN (SELECT trace_id FROM findings WHERE kind = 'infrastructure') AS had_outage,
           id IN (SELECT trace_id FROM findings WHERE kind = 'agent' AND severity >= ?) AS has_failed
    FROM mined
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
