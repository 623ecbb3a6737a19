-- Where do a passing and a failing trace part, both none of these ($2), that said the same before, in
-- the same form of message, and by one model or also ($1) by two? Each difference once, by the traces
-- of lowest id.
WITH branches AS (
    SELECT * FROM drafted_branches WHERE trace_id NOT IN (SELECT unnest($2::VARCHAR[]))
), shared AS (
    SELECT prefix FROM branches
    GROUP BY prefix HAVING bool_or(has_passed) AND NOT bool_and(has_passed)
), sides AS (
    SELECT prefix, said, has_calls, has_words, model, has_passed, min((trace_id, step)) AS place
    FROM branches
    WHERE prefix IN (SELECT prefix FROM shared)
    GROUP BY ALL
)
SELECT passing.place[1], failing.place[1], passing.place[2]
FROM sides AS passing
JOIN sides AS failing ON failing.prefix = passing.prefix
    AND failing.has_calls = passing.has_calls AND failing.has_words = passing.has_words
WHERE passing.has_passed AND NOT failing.has_passed AND passing.said <> failing.said
  AND ($1 OR passing.model = failing.model)
QUALIFY row_number() OVER (
    PARTITION BY passing.prefix, passing.said, failing.said
    ORDER BY passing.place, failing.place) = 1
ORDER BY ALL;
