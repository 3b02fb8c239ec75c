"""Hot reload: what an edit of the configuration means, and when one is there."""
