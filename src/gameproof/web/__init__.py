"""The study's web pages."""
