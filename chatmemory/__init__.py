"""Memory objects for LLM applications: bounded, durable, and always valid to send."""
