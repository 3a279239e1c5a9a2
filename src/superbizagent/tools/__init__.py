"""The tools: arguments → sources → output. Read-only; each is a question, none judges what comes back.

Protocol: section 2.
"""
