"""Health and watches."""
