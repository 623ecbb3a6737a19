-- Which feedback of one user (the trace's) in one day goes beyond so many (the parameter) of them?
SELECT feedback.id, traces.user_id, strftime(feedback.created_at, '%Y-%m-%d') AS day
FROM feedback
JOIN traces ON traces.id = feedback.trace_id
WHERE traces.user_id IS NOT NULL AND NOT feedback.retracted
QUALIFY row_number() OVER (
    PARTITION BY traces.user_id, strftime(feedback.created_at, '%Y-%m-%d')
    ORDER BY feedback.created_at, feedback.id) > ?
ORDER BY traces.user_id, day, feedback.id;
