"""What goes wrong outside of the library, and ends the command."""


class CommandError(Exception):
    """
    A file or an option can't be used.

    The text is one line for whoever typed the command: what is wrong, with the value's
    repr, and the way out.
    """
