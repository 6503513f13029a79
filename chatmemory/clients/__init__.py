"""Messages in the form of each LLM client, and back: one module for each."""
