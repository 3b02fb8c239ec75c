"""The robot's, cards' and files' HTTP APIs."""
