-- In how many traces was each mode seen, by night and model? But for outages themselves, only
-- traces count that no outage touched.
SELECT mode, agent, strftime(night, '%Y-%m-%d'), model, traces
FROM (
    SELECT mode, trace_facts.agent, trace_facts.started_at::DATE AS night, trace_facts.model,
           count(DISTINCT findings.trace_id) AS traces
    FROM findings
    JOIN mode_signatures USING (signature)
    JOIN trace_facts USING (trace_id)
    WHERE findings.kind = 'infrastructure' OR NOT trace_facts.met_outage
    GROUP BY ALL
)
ORDER BY ALL;
