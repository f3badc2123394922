"""Figures as inline SVG: small functions from numbers to markup."""
