-- In how many traces was each mode seen, by night and model? But for outages themselves, only
-- traces count that no outage touched.
SELECT mode, trace_facts.agent, strftime(trace_facts.started_at, '%Y-%m-%d') AS night,
       trace_facts.model, count(DISTINCT findings.trace_id)
FROM findings
JOIN mode_signatures USING (signature)
JOIN trace_facts USING (trace_id)
WHERE findings.kind = 'infrastructure' OR NOT trace_facts.met_outage
GROUP BY ALL
ORDER BY ALL;
