"""A real Parley process on simulated platforms, as users' own tests have it."""

from parley.simulator.plugin import parley_factory, simulator_factory

__all__ = ["parley_factory", "simulator_factory"]
