-- Which feedback was not heard when its trace was drafted?
SELECT trace_id, unnest(ignored) FROM drafts WHERE len(ignored) > 0;
