"""The web page of a reader study, and the command's server of it."""
