"""Sign-ins to servers, in a real browser."""
