-- Of which class are the findings of each mode?
SELECT mode, any_value(kind) FROM mode_signatures GROUP BY mode;
