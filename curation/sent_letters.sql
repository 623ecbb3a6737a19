-- Which of these dead letters were sent to the topic of dead letters?
SELECT id FROM dead_letters WHERE mirrored_at IS NOT NULL AND id IN ?::VARCHAR[] ORDER BY id;
