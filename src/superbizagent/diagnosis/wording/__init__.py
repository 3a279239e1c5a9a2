"""Wording of answers, per language, as data: `en.toml`, `zh.toml`. Both hold the same keys."""
