"""One dataflow over several workers: its operators run on ranges of hashes, a part in each process."""
