"""Who a request is from, known to all that is done for it."""

from contextvars import ContextVar

CLIENT: ContextVar[str] = ContextVar("client", default="")  # a key's hash, or an address
