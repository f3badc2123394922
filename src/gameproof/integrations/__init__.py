"""gameproof inside other people's tools."""
