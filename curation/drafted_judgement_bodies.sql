-- Which judgements without a pair were drafted, but of these traces ($1), and which of them are within
-- the caps: of one group the latest so many ($2), and of those of one tenant the latest so many ($3)?
WITH of_groups AS (
    SELECT *, row_number() OVER (PARTITION BY "group" ORDER BY seen_at DESC, id DESC) <= $2 AS in_group
    FROM drafted_judgements
    WHERE trace_id NOT IN (SELECT unnest($1::VARCHAR[]))
), of_tenants AS (
    SELECT *, in_group AND (tenant IS NULL OR row_number() OVER (
        PARTITION BY in_group, tenant ORDER BY seen_at DESC, id DESC) <= $3) AS in_tenant
    FROM of_groups
)
SELECT if(in_tenant, body, NULL), in_group FROM of_tenants ORDER BY id;
