-- From which batch to which are there spans? From 1 to 0 if there are none.
SELECT coalesce(min(batch), 1), coalesce(max(batch), 0) FROM fragments;
