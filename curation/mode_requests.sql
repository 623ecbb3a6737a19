-- Of each mode whose findings have requests: which are they, the founder's first, then those of the
-- latest signatures, each with a trace?
WITH latest AS (
    SELECT mode, signature, detector, tool, shape, rowid AS place
    FROM mode_signatures
    QUALIFY row_number() OVER (PARTITION BY mode ORDER BY signature <> mode, rowid DESC) <= ?
)
SELECT mode, signature, any_value(latest.detector), any_value(latest.tool), any_value(shape),
       any_value(request), min(trace_id)
FROM latest JOIN findings USING (signature)
WHERE request IS NOT NULL
GROUP BY mode, signature, place
ORDER BY mode, signature <> mode, place DESC;
