"""One script a figure: ``python -m bench [name] [--json]``.

A script is a module here with a function ``figures()``. It measures ours and what it is held
against in the same process and minute, so that the ratio holds on any machine.
"""
