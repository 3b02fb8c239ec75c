"""Chat platforms on loopback that speak the real wire protocols, for our tests and our users' tests."""
