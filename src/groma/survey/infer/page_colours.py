"""What a cache misses when pages fall at random on its sets: the binomial model of page colours.

A cache of C bytes in K ways has c = C / (K P) colours of pages of P bytes: pages of one colour compete for
the same sets, each of which holds K lines. The system gives pages without regard to their colours, so that of
n pages the number X of one colour is binomial, X ~ B(n, 1/c). The same holds for a cache whose sets a hash of
the address selects: the lines of a page lie in different sets, each in one of c classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class PagedCache(NamedTuple):
    """A cache of `size` bytes, indexed by addresses that the system gives in pages of `page` bytes."""

    size: float
    ways: int
    page: float

    @property
    def colours(self) -> float:
        """At least 1: then the offset within a page selects the set, and all pages are alike."""
        return max(self.size / (self.ways * self.page), 1.0)


def miss_share(cache: PagedCache, set_bytes: Array, strict: float) -> Array:
    """Expected share of the loads of a random cycle over `set_bytes` that miss.

    Of a colour with X > K pages all loads miss under LRU, which no cycle can outwit, and the part 1 - K / X
    of them if the best lines stay. `strict` is the weight of the former, 0 to 1.
    """
    pages = np.rint(set_bytes / cache.page)
    if cache.colours == 1.0:
        over = np.where(pages > cache.ways, 1.0 - cache.ways / np.maximum(pages, 1.0), 0.0)
        return strict * (pages > cache.ways) + (1.0 - strict) * over
    return strict * _crowded(cache, pages) + (1.0 - strict) * _left_over(cache, pages)


def _crowded(cache: PagedCache, pages: Array) -> Array:
    """Share of pages whose colour has more than K: P(X' >= K) of the n - 1 others, X' ~ B(n - 1, 1/c)."""
    probability = _binomial(np.maximum(pages - 1.0, 0.0), cache)
    share: Array = np.clip(1.0 - probability[: cache.ways].sum(axis=0), 0.0, 1.0)
    return share


def _left_over(cache: PagedCache, pages: Array) -> Array:
    """Share of pages beyond the K of their colour: E[max(X - K, 0)] / E[X]."""
    probability = _binomial(pages, cache)
    room = cache.ways - np.arange(cache.ways + 1)
    expected = pages / cache.colours
    beyond = expected - cache.ways + (room[:, None] * probability).sum(axis=0)
    share: Array = np.clip(beyond / np.maximum(expected, 1e-12), 0.0, 1.0)
    return share


def _binomial(draws: Array, cache: PagedCache) -> Array:
    """P(X = k), one row for each k = 0 ... K, X ~ B(draws, 1/c); by recursion, in logarithms."""
    p = 1.0 / cache.colours
    rows = np.empty((cache.ways + 1, len(draws)))
    rows[0] = draws * np.log1p(-p)
    for k in range(cache.ways):
        with np.errstate(divide="ignore"):
            rows[k + 1] = rows[k] + np.log(np.maximum(draws - k, 0.0)) + np.log(p / (1.0 - p) / (k + 1))
    return np.exp(rows)
