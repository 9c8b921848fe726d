"""Exceptions of the package. Messages are those of the command line, with Python arguments in place of options."""


class Error(Exception):
    """Base class: an operation failed; the message says why."""


class SettingError(Error, ValueError):
    """A setting does not exist or has an invalid value."""


class DataError(Error, ValueError):
    """The data cannot be read."""


class DataTypeError(DataError, TypeError):
    """A value has a type that is not supported."""


for _exception in (Error, SettingError, DataError, DataTypeError):
    _exception.__module__ = "textkin"
del _exception
