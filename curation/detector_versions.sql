-- Which detectors have read the store, in which version?
SELECT detector, version FROM mining_progress WHERE detector <> 'facts' ORDER BY detector;
