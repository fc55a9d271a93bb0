"""Sources that are posted to: from a request's headers and body to durable rows.

```
http ── Webhooks.receive ── an inbox for each source: what waits is one batch
                               │ judge: the check, the keys, the bodies     (beside the loop, where it is much)
                               v
                            group commit ── durable ── every request of the batch is answered
```
"""
