-- Which signatures of findings belong to no mode yet, and how many traces show them?
SELECT signature, any_value(detector), any_value(tool), any_value(kind), min(claim),
       count(DISTINCT trace_id)
FROM findings
WHERE signature NOT IN (SELECT signature FROM mode_signatures)
GROUP BY signature
ORDER BY signature;
