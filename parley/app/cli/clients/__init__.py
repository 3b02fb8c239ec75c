"""What commands ask of a running Parley over HTTP, or of its store when none runs."""
