"""The command line: the door for a person and for scripts. Parses, calls, prints; decides nothing."""
