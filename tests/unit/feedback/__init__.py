"""Delivery of feedback to other systems."""
