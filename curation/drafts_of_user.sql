-- Which traces were drafted as this user's, by their own record or by that of their session?
SELECT trace_id FROM drafts WHERE user_id = ?;
