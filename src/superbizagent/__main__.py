"""`python -m superbizagent` is `sba`."""

from superbizagent.cli.main import main

if __name__ == "__main__":
    main()
