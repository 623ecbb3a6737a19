-- Which decoder read how many records of each topic, most first?
SELECT topic, decoder, sum(records)::BIGINT FROM decoders_used
GROUP BY topic, decoder ORDER BY topic, sum(records) DESC, decoder;
