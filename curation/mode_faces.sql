-- What is each mode, what does its clearest finding say (or, where requests tell it apart, what had
-- been asked for), in how many traces was it seen, and in how many that no outage touched?
SELECT mode, any_value(mode_signatures.detector), any_value(mode_signatures.tool),
       any_value(mode_signatures.kind),
       first(shape ORDER BY mode_signatures.signature <> mode, shape),
       first(coalesce('asked: ' || left(request, 100), claim)
             ORDER BY severity DESC, seen_at DESC, findings.id),
       count(DISTINCT trace_id),
       count(DISTINCT trace_id) FILTER (NOT met_outage)
FROM mode_signatures
JOIN findings USING (signature)
JOIN trace_facts USING (trace_id)
GROUP BY mode
ORDER BY count(DISTINCT trace_id) DESC, mode;
