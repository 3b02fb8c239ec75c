"""The messages above a mention: read once, chosen by rule and budget, and framed as other people's words."""
