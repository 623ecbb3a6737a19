-- These traces are closed, as of this commit: (commit, first and last batch, ids)
INSERT INTO traces (id, revision, changed_at, started_at, session_id, user_id, model_name, model_version,
                    dialect, content_hash, aliases, body)
SELECT id, revision, ?, started_at, session_id, user_id, model_name, model_version,
       dialect, content_hash, aliases, body
FROM ready_traces WHERE batch BETWEEN ? AND ? AND id IN (SELECT unnest(?::VARCHAR[]));
