"""The indexes of the store on PostgreSQL."""
