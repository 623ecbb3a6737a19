-- How many traces of each night failed (of those without an outage), met an outage, or were read?
-- A trace failed if its reward or feedback says so; where neither speaks, if a finding of weight does.
SELECT night,
       count(*) FILTER (NOT met_outage AND (has_passed IS FALSE OR (
           has_passed IS NULL AND trace_id IN (
               SELECT trace_id FROM findings
               WHERE kind IN ('agent', 'tool', 'policy') AND severity >= 0.5)))),
       count(*) FILTER (met_outage),
       count(*)
FROM trace_facts
GROUP BY night
ORDER BY night;
