"""Tools of the default agent: where they come from, who may use them, and which ask first."""
