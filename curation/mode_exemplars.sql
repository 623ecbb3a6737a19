-- Which traces show each mode best (severe first, then the latest)?
SELECT mode, trace_id
FROM (
    SELECT mode, trace_id, max(severity) AS severity, max(seen_at) AS seen_at
    FROM findings JOIN mode_signatures USING (signature)
    GROUP BY mode, trace_id
)
QUALIFY row_number() OVER (PARTITION BY mode ORDER BY severity DESC, seen_at DESC, trace_id) <= 3
ORDER BY mode, severity DESC, seen_at DESC, trace_id;
