"""Tables of the rules: plain text that a person can review row by row. No code, no decisions."""
