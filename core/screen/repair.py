"""Make one clean text of the bytes that a phone, or a shell between us and it, handed out.

Seen in real dumps: a byte order mark, UTF-16 behind a prolog that says UTF-8, a Korean code page,
a log line before or behind, a break inside a character, characters that XML forbids, bare ``&``
and ``<``, and emoji that a Windows shell had turned into ``≡ƒÿÇ``.
"""

import re

START = "<hierarchy"
END = "</hierarchy>"

_START = re.compile(r"<hierarchy(?=[\s/>])")
_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))
_NAKED = (("<h".encode("utf-16-le"), "utf-16-le"), ("<h".encode("utf-16-be"), "utf-16-be"))

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CHARACTER = re.compile(r"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,10}));")
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,8}|#x[0-9a-fA-F]{1,8});)")
_VALUE = re.compile(r'="[^"]*"')
_HANGUL = re.compile("[가-힣ㄱ-ㆎ]")
_LETTER = re.compile("[^\x00-\u02ff\u2000-\u33ff\uff00-\uffff]")

_OEM = bytes(range(0x80, 0xF5)).decode("cp437")
# ß is left out: a German word may well go on with two umlauts
_LEAD3, _LEAD4 = _OEM[0x60:0x70].replace("ß", ""), _OEM[0x70:]
_REST = re.escape(_OEM[:0x40])
_SIGNS = ("≡ƒ", "Γ", "∩", "π", "Σ", "σ", "µ", "τ", "Φ", "Θ")  # emoji, symbols, East Asian
_GARBLED = re.compile(f"(?:[{_LEAD3}][{_REST}]{{2}}|[{_LEAD4}][{_REST}]{{3}})+")


def text_of(dump: str | bytes) -> str:
    """Give a dump as text, whatever it holds."""
    return ungarbled(dump if isinstance(dump, str) else decode(dump))


def body_of(text: str) -> tuple[str, bool] | None:
    """Cut the hierarchy out of what a phone printed; also says whether its end was there."""
    found = _START.search(text)
    if found is None:
        return None
    start, end = found.start(), text.rfind(END)
    if end > start:
        return text[start : end + len(END)], True
    # a tag that broke off tells nothing for sure
    return text[start : text.rfind(">") + 1], False


def decode(raw: bytes) -> str:
    """Read bytes by their mark, else as UTF-8, else by the code page that fits."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace")
    for sign, name in () if START.encode() in raw else _NAKED:
        if sign in raw:
            return raw.decode(name, "replace")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        if error.start >= len(raw) - 3:  # broken off inside a character
            return raw[: error.start].decode()
    return _by_code_page(raw)


def _by_code_page(raw: bytes) -> str:
    """Choose UTF-8 where a few bytes are ruined, else Korean or Chinese by what comes out."""
    text = raw.decode(errors="replace")
    ruined = text.count("\ufffd")
    if len(_LETTER.findall(text)) - ruined > ruined:
        return text
    for name in ("cp949", "gb18030"):
        try:
            found = raw.decode(name)
        except UnicodeDecodeError:
            continue
        letters = _LETTER.findall(found)
        # Chinese read as Korean mixes Hanja in; Korean read as Korean is Hangul nearly throughout
        if name != "cp949" or len(_HANGUL.findall(found)) > 0.9 * len(letters):
            return found
    return text


def ungarbled(text: str) -> str:
    """Give back the characters of UTF-8 that was shown in a Windows shell's code page."""
    # looking for a sign costs a twentieth of trying the pattern at every character
    if text.isascii() or not any(sign in text for sign in _SIGNS):
        return text
    return _GARBLED.sub(_regained, text)


def _regained(found: re.Match[str]) -> str:
    try:
        return found[0].encode("cp437").decode()
    except UnicodeDecodeError:
        return found[0]


def mended(body: str) -> str:
    """Drop what XML forbids and escape what it wants escaped inside attributes."""
    body = _ILLEGAL.sub("", _CHARACTER.sub(_legal_reference, body))
    return _VALUE.sub(lambda found: found[0].replace("<", "&lt;"), _BARE.sub("&amp;", body))


def _legal_reference(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    legal = code <= 0x10FFFF and not _ILLEGAL.match(chr(code))
    return found[0] if legal else ""
