-- As whose were these traces drafted, where anybody's?
SELECT trace_id, user_id FROM drafts
WHERE trace_id IN (SELECT unnest(?::VARCHAR[])) AND user_id IS NOT NULL;
