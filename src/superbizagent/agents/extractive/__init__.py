"""The extractive engine: a Planner and an Executor in plain Python, without a model, a key or a network."""
