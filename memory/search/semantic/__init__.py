"""Semantic search over facts: embeddings, their vectors, and a ranking that blends them with words."""
