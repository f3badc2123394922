"""The sections of a report's page: each file says what one of them shows."""
