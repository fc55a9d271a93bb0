"""KAFKA sinks: changes as messages of a topic, exactly once, and how far they are in the same transaction.

```
records ── messages ── producer: one transaction ──> topic
                                └── progress record ──> progress topic ──> where the sink goes on
```

`options` say what is asked for, `messages` and `partitions` what a record becomes and where it goes, `progress` how far a sink
is, `pieces` how an interval is cut, `topics` finds and makes topics, `clients` are librdkafka's, with errors in our words, `sink`
does it all.
"""
