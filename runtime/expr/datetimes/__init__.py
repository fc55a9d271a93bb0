"""Dates, times, intervals and time zones: the calendar, and their text form."""
