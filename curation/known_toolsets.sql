-- Which toolsets of which agents are written down already?
SELECT DISTINCT agent, toolset FROM toolsets;
