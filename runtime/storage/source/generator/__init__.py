"""Load generators: endless upstreams that are functions of a seed, so any of their past can be had again.

`auction`, `marketing`, `tpch`, `key_value` and `clock` say what a generator's tables hold after some number of ticks, and
what ticks change; `ticking` makes a connector of one; `options` and `kinds` are what CREATE SOURCE says, and which there are.
"""
