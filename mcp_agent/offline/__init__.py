"""A brain without a model: plain commands in Chinese and English, carried out by rules."""
