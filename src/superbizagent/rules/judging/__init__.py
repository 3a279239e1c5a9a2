"""The deterministic judge's checks, each in a module of its reason; see `superbizagent.rules.derivability`."""
