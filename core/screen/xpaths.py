"""How much an XPath may search: a phone, and the server, wait until it is done.

A search within a search takes every node for every node: of 34 signs that held a screen of 300
nodes for 16 s, and with one more search in it nobody saw the end.
"""

import re

MOST_SEARCHES = 8
MOST_WITHIN = 3  # in what is asked of each node that was found
#: What looks at more than a node and its children; a path that begins at the root, too.
SEARCH = re.compile(r"//|\.\.|(?<![\w*\])/])/|\b(?!child|attribute|self)[a-z-]+::")
STRINGS = re.compile(r"\"[^\"]*\"|'[^']*'")


def searches_too_much(path: str) -> bool:
    """Say whether a path searches within what it searches by, or in too many places."""
    bare = STRINGS.sub("''", path)
    inner, depth, begun = list[tuple[int, str]](), 0, 0
    for at, sign in enumerate(bare):
        if sign in "[]":
            inner.append((depth, bare[begun:at]))
            depth, begun = depth + (1 if sign == "[" else -1), at + 1
    inner.append((depth, bare[begun:]))
    found = [(depth, each[0]) for depth, text in inner for each in SEARCH.finditer(text)]
    within = sum(2 if each.startswith(("fol", "pre")) else 1 for depth, each in found if depth)
    deepest = max((depth for depth, _ in found), default=0)
    return len(found) > MOST_SEARCHES or within > MOST_WITHIN or deepest > 1
