"""Known wrong answers: the formulas behind them, and tables of (mistake, how to recognise it)."""
