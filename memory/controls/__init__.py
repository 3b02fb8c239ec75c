"""What people do with a memory themselves: why, edits, import and export, and a chat's memory of its own."""
