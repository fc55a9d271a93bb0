"""S3 sources: the objects of a bucket below a prefix, each read once and whole."""
