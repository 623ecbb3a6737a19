-- Which drafted tasks can still be chosen, and why not the others?
-- Of the training side none of some traces ($7), of the suite's side only those of some ($8; NULL:
-- all). Of tasks with one prompt the first stays, as selection ranks them. Of the rest only the
-- latest count: so many times the caps ($6) for each group (failures $1, healthy $2), tenant
-- (failures $3, healthy $4) and kind of request ($5, healthy only), on each side and of each length.
-- Of those that repeat a prompt so many ($9) are named, each with what it repeats.
WITH sided AS (
    SELECT * EXCLUDE body,
           if(split = 'train', trace_id NOT IN (SELECT unnest($7::VARCHAR[])),
              $8::VARCHAR[] IS NULL OR trace_id IN (SELECT unnest($8::VARCHAR[]))) AS may_stay
    FROM drafted_tasks
), ranked AS (
    SELECT *, may_stay AND row_number() OVER of_prompt = 1 AS is_first,
           first_value(id) OVER of_prompt AS first_id
    FROM sided
    WINDOW of_prompt AS (
        PARTITION BY may_stay, is_whole_episode, prompt
        ORDER BY is_failure DESC, has_no_reference, seen_at, id)
), of_groups AS (
    SELECT *, is_first AND row_number() OVER (
        PARTITION BY is_first, split, is_whole_episode, is_failure, "group"
        ORDER BY seen_at DESC, id DESC) <= $6 * if(is_failure, $1, $2) AS in_group
    FROM ranked
), of_tenants AS (
    SELECT *, in_group AND (tenant IS NULL OR row_number() OVER (
        PARTITION BY in_group, split, is_whole_episode, is_failure, tenant
        ORDER BY seen_at DESC, id DESC) <= $6 * if(is_failure, $3, $4)) AS in_tenant
    FROM of_groups
), of_kinds AS (
    SELECT *, in_tenant AND (is_failure OR row_number() OVER (
        PARTITION BY in_tenant, split, is_whole_episode, is_failure, slice
        ORDER BY seen_at DESC, id DESC) <= $6 * $5) AS in_kind
    FROM of_tenants
)
SELECT is_failure, split = 'train', may_stay, is_first, in_group, in_tenant, in_kind, count(*),
       list(id ORDER BY id) FILTER (in_kind),
       list((id, first_id) ORDER BY id) FILTER (may_stay AND NOT is_first)[1:$9]
FROM of_kinds
GROUP BY ALL
ORDER BY ALL;
