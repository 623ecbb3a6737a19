-- Which words are known of requests to each agent, and from which trace?
SELECT agent, word, trace_id FROM known_words;
