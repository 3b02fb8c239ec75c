"""Every promise that an engine of the store keeps, a module for each concern."""
