-- Which rows of drafts come from these traces?
DELETE FROM drafts WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
