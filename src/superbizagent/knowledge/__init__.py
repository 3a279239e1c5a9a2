"""Knowledge: runbooks split into blocks, searched by words; and skills, which are read and never cited.

Everything here is guidance: what somebody wrote beforehand. Documents come in as text; nothing here reads a file.
Protocol: section 2.
"""
