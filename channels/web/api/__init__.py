"""The HTTP API of the web chat: routes, request bodies, uploads and the event stream."""
