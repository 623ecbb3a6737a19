-- In which nights were traces seen?
SELECT DISTINCT night FROM night_counts ORDER BY night;
