"""What DingTalk's plain messages lack of markdown, in other forms."""
