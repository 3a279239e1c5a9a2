"""Sources: what really happened, as files or servers tell it. Each answers queries, counts, and judges nothing.

Protocol: sections 2 and 11.
"""
