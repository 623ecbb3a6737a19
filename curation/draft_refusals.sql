-- Why did something of the traces come to nothing, and how often?
SELECT reason, count(*) FROM (SELECT unnest(refused) AS reason FROM drafts) GROUP BY reason;
