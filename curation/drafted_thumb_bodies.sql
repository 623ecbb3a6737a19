-- Which judgements without a pair were drafted?
SELECT body FROM drafted_thumbs;
