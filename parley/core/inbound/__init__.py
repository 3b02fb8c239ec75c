"""From a platform event to durable work: access, batching, busy policy, edits."""
