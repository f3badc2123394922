"""Loaders of public data sets, one file for each format in which one is published."""
