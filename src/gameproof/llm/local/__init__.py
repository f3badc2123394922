"""Scoring given texts with a causal language model on this machine: tokens, packing, forward passes."""
