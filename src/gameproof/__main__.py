"""``python -m gameproof``."""

from gameproof.cli.app import main

if __name__ == "__main__":
    main()
