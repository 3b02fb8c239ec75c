"""The HTTP API as an OpenAPI document: made of the routes' own bodies and answers."""
