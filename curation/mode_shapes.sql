-- Which claims (their shapes) belong to each mode, those of most findings first?
SELECT mode, shape
FROM mode_signatures
JOIN (SELECT signature, count(*) AS findings FROM findings GROUP BY signature) USING (signature)
GROUP BY mode, shape
ORDER BY mode, sum(findings) DESC, shape;
