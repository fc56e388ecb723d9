"""Results in the formats of others, one module each. All of them read results.jsonl and nothing else."""
