-- Which toolsets are written down already?
SELECT DISTINCT toolset FROM toolsets;
