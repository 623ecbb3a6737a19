-- What was found in these traces?
SELECT id, detector, detector_version, trace_id, revision, step, claim, evidence, severity, kind,
       tool, model_name, model_version, agent, seen_at, signature, request
FROM findings
WHERE trace_id IN (SELECT unnest(?::VARCHAR[]))
ORDER BY trace_id, step NULLS LAST, id;
