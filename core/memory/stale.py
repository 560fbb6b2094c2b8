"""Why a memory is only a hint any more: kept in no language, said in the reader's.

What has no words, such as two versions of an app, is kept as it is said.
"""

import json

from core.words import Lang, phrase

CODE = "code"


def kept(code: str, **details: int) -> str:
    """Give a reason as it is kept."""
    return json.dumps({CODE: code, **details})


def said(reason: str, lang: Lang) -> str:
    """Say a reason; one that was kept in words is said in those."""
    if not reason.startswith("{"):
        return reason
    try:
        details = json.loads(reason)
    except ValueError:
        return reason
    return phrase(f"stale.{details.pop(CODE)}", lang, **details)
