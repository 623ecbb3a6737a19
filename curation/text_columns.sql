-- Which columns of the store's tables can hold text, but for the list of those who are forgotten?
SELECT table_name, column_name FROM duckdb_columns()
WHERE schema_name = 'main' AND NOT internal AND data_type IN ('VARCHAR', 'BLOB', 'VARCHAR[]')
  AND table_name IN (SELECT table_name FROM duckdb_tables())
  AND table_name NOT IN ('forgotten_users', 'forgotten_names')
ORDER BY table_name, column_index;
