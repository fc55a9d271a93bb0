"""The sequencer: dispatches each planned statement to the part of the coordinator that executes it."""
