-- What number did the last commit take that wrote a trace?
SELECT last_change FROM changes;
