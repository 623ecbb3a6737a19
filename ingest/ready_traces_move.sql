-- Which of these open traces are ready, and nothing else came of them? They are traces now.
INSERT INTO traces (id, revision, changed_at, started_at, session_id, user_id, model_name, model_version,
                    dialect, content_hash, aliases, body)
SELECT r.id, r.revision, ?, r.started_at, r.session_id, r.user_id, r.model_name, r.model_version,
       r.dialect, r.content_hash, r.aliases, r.body
FROM ready_traces r JOIN open_traces o ON o.trace_id = r.id AND o.first_batch = r.batch AND o.last_batch = r.batch
WHERE r.id IN (SELECT unnest(?::VARCHAR[])) AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.id = r.id)
RETURNING id;
