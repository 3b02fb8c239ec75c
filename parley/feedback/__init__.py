"""Feedback on its way to other systems: LangSmith, Langfuse and webhooks, told in the background."""
