"""COPY ... TO a directory or a prefix of S3: files that are whole, and a manifest when all of them are there."""
