"""The model boundary: everything that asks a language model goes through here."""
