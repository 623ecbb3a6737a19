-- Which of these traces are there, in which revision, and with which content?
SELECT id, revision, content_hash FROM traces WHERE id IN ?::VARCHAR[];
