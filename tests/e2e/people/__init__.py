"""Who people are, what is known of them, and what they may."""
