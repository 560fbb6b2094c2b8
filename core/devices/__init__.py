"""Phones: what one can do, how it is reached, and who may use it when."""
