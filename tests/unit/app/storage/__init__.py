"""What lies in the data folder."""
