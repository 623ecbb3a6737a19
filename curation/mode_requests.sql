-- Of the modes that tell requests apart, and of those that gather the rest: which requests are they
-- of, the founder's first, then the latest, each with a trace?
SELECT mode, signature, any_value(mode_signatures.detector), any_value(mode_signatures.tool),
       any_value(shape), any_value(request), min(findings.trace_id)
FROM mode_signatures JOIN findings USING (signature)
WHERE request IS NOT NULL
GROUP BY mode, signature
QUALIFY row_number() OVER (
    PARTITION BY mode ORDER BY signature <> mode, max(seen_at) DESC, signature
) <= ?
ORDER BY mode, signature <> mode, max(seen_at) DESC, signature;
