"""A file that cannot be kept."""

from core.errors.base import Conflict, ConsoleError, Invalid, TooLarge


class FileEmpty(Invalid):
    """No file came, or one without a byte in it."""

    code = "file_empty"


class FileUsed(Conflict):
    """A file belongs to a message that was sent; details: ``name``."""

    code = "file_used"


class FileTooLarge(TooLarge):
    """A file is larger than a message carries; details: ``most_mb``."""

    code = "file_too_large"


class DiskLow(ConsoleError):
    """The disk is nearly full, so no more pictures are kept; details: ``free_mb``."""

    status = 507
    code = "disk_low"


class DiskFull(DiskLow):
    """There is no room left: not even the database takes anything more."""

    code = "disk_full"
