"""Human in the loop: interrupts as questions, and decisions as resume values (pure)."""
