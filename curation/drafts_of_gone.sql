-- Which traces were drafted and are gone?
SELECT trace_id FROM drafts WHERE trace_id NOT IN (SELECT id FROM traces);
