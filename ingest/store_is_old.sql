-- Was this store made when traces were a table, and ready ones another?
SELECT 1 FROM duckdb_tables() WHERE schema_name = 'main' AND table_name = 'traces';
