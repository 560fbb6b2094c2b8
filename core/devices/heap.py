"""Have the memory of pictures go when they do."""

import ctypes

M_MMAP_THRESHOLD = -3  # glibc's, from malloc.h
LARGE = 1024 * 1024  # bytes; a decoded screen has eight times as many


def return_large() -> None:
    """Give large blocks back to the system as they are freed, in this process from now on.

    glibc else begins to keep them once the first was freed, a screen for each thread that ever
    decoded one: six threads held 46 MB. To map each anew costs up to a tenth of decoding it. Where
    the C library has no such choice, nothing is done.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
