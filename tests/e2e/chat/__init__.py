"""What people do in chats, through real processes."""
