"""Wording of the extractive Executor's claims and next steps, per language, as data."""
