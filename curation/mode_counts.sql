-- In how many traces was each mode seen, by night and model?
SELECT mode, agent, night, model, traces FROM mode_nights ORDER BY ALL;
