"""Doubles for what surrounds a part of Parley, each small and real enough to be wrong."""
