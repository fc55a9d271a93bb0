"""Sinks into tables of lakes, whatever these are made by: an interval is a commit, and files are written anew, whole."""
