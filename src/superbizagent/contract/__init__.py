"""What things are: closed vocabularies, the tool table, evidence, claims, records, results, errors.

Values only. Nothing here reads a clock, a file, the environment or a network, and nothing here decides whether a
claim is true: that is `superbizagent.rules`. Protocol: sections 1, 2, 4, 6, 7 and 9.
"""
