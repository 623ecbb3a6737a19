-- Which ranges on the wire did the drafted traces come from, with those that touch joined?
WITH ranges AS (
    SELECT DISTINCT unnest(topics) AS topic, unnest(partitions) AS "partition",
           unnest(first_offsets) AS first_offset, unnest(last_offsets) AS last_offset
    FROM drafts
), begun AS (
    SELECT *, first_offset > 1 + max(last_offset) OVER (
        PARTITION BY topic, "partition" ORDER BY first_offset, last_offset
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_apart
    FROM ranges
), numbered AS (
    SELECT *, count(*) FILTER (is_apart) OVER (
        PARTITION BY topic, "partition" ORDER BY first_offset, last_offset) AS number
    FROM begun
)
SELECT topic, "partition", min(first_offset), max(last_offset)
FROM numbered
GROUP BY topic, "partition", number
ORDER BY ALL;
