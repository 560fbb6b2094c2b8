"""Phones: how they are reached, who holds them, what was last seen of them."""
