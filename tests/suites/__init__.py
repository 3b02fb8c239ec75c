"""The suites by name: what each runs, how its failures are told, and which of its tests are unsteady."""
