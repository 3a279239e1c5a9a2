"""SuperBizAgent: an incident-diagnosis agent that says only what the telemetry proves."""

__version__ = "0.1.0"
