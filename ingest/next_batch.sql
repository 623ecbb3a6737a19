-- What number does this batch take?
SELECT nextval('batches');
