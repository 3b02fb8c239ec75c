"""The offline demonstration: a model that is no AI, and the tools that it shows off with."""
