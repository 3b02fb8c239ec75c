"""The walk of `parley check --live` against the simulated platforms, and recordings compared with them."""
