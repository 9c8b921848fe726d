"""Exceptions of the package: the words are those of the command line."""


class Error(Exception):
    """Something that textkin was asked for cannot be done; the message says why."""


class SettingError(Error, ValueError):
    """A setting that does not exist, or has no such value."""


class DataError(Error, ValueError):
    """Data that cannot be read as it is."""


class DataTypeError(DataError, TypeError):
    """A value of a type that will not do."""


for _exception in (Error, SettingError, DataError, DataTypeError):
    _exception.__module__ = "textkin"
del _exception
