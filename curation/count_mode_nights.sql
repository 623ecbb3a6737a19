-- In how many traces of these nights was each mode seen, by night and model? But for outages
-- themselves, only traces count that no outage touched.
INSERT INTO mode_nights
SELECT mode, facts.agent, facts.night, facts.model, count(DISTINCT findings.trace_id)
FROM findings
JOIN (SELECT trace_id, agent, night, model, met_outage FROM trace_facts
      WHERE list_contains(?::VARCHAR[], night)) AS facts USING (trace_id)
JOIN mode_signatures USING (signature)
WHERE findings.kind = 'infrastructure' OR NOT facts.met_outage
GROUP BY ALL;
