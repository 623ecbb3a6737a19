-- Which signature founded each mode?
SELECT signature, detector, tool, kind, shape, 0 FROM mode_signatures WHERE signature = mode;
