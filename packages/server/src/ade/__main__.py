"""Lets `python -m ade` be the command."""

from ade.cli import main

if __name__ == "__main__":
    main()
