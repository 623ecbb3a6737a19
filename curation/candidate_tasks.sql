-- Which drafted tasks can still be chosen, and why not the others?
-- Of tasks with one prompt the first stays, as selection ranks them. Of the rest only the latest
-- count: so many times the caps ($6) for each group (failures $1, healthy $2), tenant (failures $3,
-- healthy $4) and kind of request ($5, healthy only), on each side and of each length.
WITH ranked AS (
    SELECT * EXCLUDE body, row_number() OVER (
        PARTITION BY is_whole_episode, prompt
        ORDER BY is_failure DESC, has_no_reference, seen_at, id) AS of_prompt
    FROM drafted_tasks
), of_groups AS (
    SELECT *, of_prompt = 1 AND row_number() OVER (
        PARTITION BY of_prompt = 1, split, is_whole_episode, is_failure, "group"
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
SELECT is_failure, of_prompt = 1, in_group, in_tenant, in_kind, count(*),
       list(id ORDER BY id) FILTER (in_kind)
FROM of_kinds
GROUP BY ALL
ORDER BY ALL;
