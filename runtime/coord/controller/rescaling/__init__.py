"""Replicas of one shape in the place of those of another: beside them, until they have caught up."""

from .hand_overs import HandOver, HandOvers

__all__ = ["HandOver", "HandOvers"]
