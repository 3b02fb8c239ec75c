"""What a newcomer gets: the distribution and the documents' commands."""
