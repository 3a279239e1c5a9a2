"""The store: two tables of evidence and verdicts, in SQLite or in memory, with seals over finished sessions.

Persists and never decides. SQLAlchemy stays behind this door. Protocol: sections 3 and 9.
"""
