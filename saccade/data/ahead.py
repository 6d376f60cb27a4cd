"""An iterator that is one item ahead of those who read it, by a thread."""

from collections.abc import Iterator
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class ReadAhead(Iterator[T], Generic[T]):
    """Yields the items of an iterator; while one is used, a thread computes the next.

    What the iterator raises is raised where its item would have come. The thread ends with its
    item, and does not keep a program that ends.
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._found: list[T] = []
        self._error: BaseException | None = None
        self._start()

    def __next__(self) -> T:
        self._thread.join()
        if self._error is not None:
            raise self._error
        if not self._found:
            raise StopIteration
        item = self._found.pop()
        self._start()
        return item

    def _start(self) -> None:
        self._thread = Thread(target=self._fetch, daemon=True)
        self._thread.start()

    def _fetch(self) -> None:
        try:
            self._found = [next(self._items)]
        except StopIteration:
            self._found = []
        except BaseException as error:  # it is raised where the item is asked for
            self._error = error
