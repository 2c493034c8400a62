"""The paper's statements, computed."""

from __future__ import annotations

import json
from typing import Any

from driftline import _driftline


class Claims(list[dict[str, Any]]):
    """One dictionary for each statement: id, title, predicted, computed, holds, explanation."""

    def __init__(self, claims: list[dict[str, Any]], page: str) -> None:
        super().__init__(claims)
        self.page = page

    @property
    def hold(self) -> bool:
        """Whether all of them hold."""
        return all(claim["holds"] for claim in self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{claim['id']}</td><td>{claim['title']}</td><td>{claim['computed']}</td>"
            f"<td>{'holds' if claim['holds'] else 'does not hold'}</td></tr>"
            for claim in self
        )
        return f"<table><tr><th></th><th>statement</th><th>computed</th><th></th></tr>{rows}</table>"


def theory(*ids: str, seed: int = 0) -> Claims:
    """Checks the paper's statements, all or those named (``"3.4"`` means all of its parts).

    Parameters
    ----------
    *ids : str
        Statements, by their numbers in the paper.
    seed : int, default=0

    Returns
    -------
    Claims

    Examples
    --------
    >>> import driftline
    >>> driftline.theory("3.4").hold
    True
    """
    claims, page = _driftline.theory(list(ids), seed)
    return Claims(json.loads(claims), page)
