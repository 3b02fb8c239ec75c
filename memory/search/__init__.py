"""Full-text search over one person's facts: BM25, dates, synonyms and ranking."""
