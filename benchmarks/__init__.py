"""The benchmark suite: `python -m benchmarks --help`; how to read it is in README.md beside this file."""
