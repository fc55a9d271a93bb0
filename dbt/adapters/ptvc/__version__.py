"""The adapter's version: one distribution ships the adapter and the runtime, so it is also the runtime's."""

version = "0.1.0"
