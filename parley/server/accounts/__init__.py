"""People's accounts on servers that an agent uses for them: the sign-ins, and what is kept of them."""
