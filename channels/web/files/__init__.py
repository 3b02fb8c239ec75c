"""The files of the web chat: uploads and reply files on disk and in the store."""
