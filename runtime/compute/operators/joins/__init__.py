"""Joins, and the arrangements and look-ups that delta joins are made of."""
