-- Which signatures of findings belong to no mode yet, and how many traces show them, and one of these?
SELECT signature, any_value(detector), any_value(tool), any_value(kind), min(claim), any_value(request),
       count(DISTINCT trace_id), min(trace_id)
FROM findings
WHERE signature NOT IN (SELECT signature FROM mode_signatures)
GROUP BY signature
ORDER BY signature;
