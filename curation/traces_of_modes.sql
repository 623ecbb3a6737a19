-- Which traces show one of these failure modes?
SELECT DISTINCT trace_id FROM findings JOIN mode_signatures USING (signature)
WHERE list_contains(?::VARCHAR[], mode);
