-- Which columns of the store can hold text?
SELECT table_name, column_name FROM duckdb_columns()
WHERE schema_name = 'main' AND NOT internal AND data_type IN ('VARCHAR', 'BLOB', 'VARCHAR[]')
ORDER BY table_name, column_index;
