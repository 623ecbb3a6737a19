-- Which of the dead letters are these?
DELETE FROM dead_letters WHERE id IN (SELECT unnest(?::VARCHAR[]));
