"""The support bundle: by an allow-list, so that neither secrets nor people's words can be in it."""
