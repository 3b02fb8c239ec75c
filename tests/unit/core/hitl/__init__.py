"""Questions of interrupted runs."""
