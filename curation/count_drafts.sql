-- How many traces were drafted?
SELECT count(*) FROM drafts;
