"""Tables in lakes, of Iceberg and of Delta Lake: what sinks and connections share."""
