"""For researchers: the paper's tables and statements, and methods of your own on the same terms.

>>> from driftline import research
>>> research.theory("3.4").hold
True
"""

from __future__ import annotations

from driftline._experiment import Method, Results, experiment
from driftline._theory import theory

__all__ = ["Method", "Results", "experiment", "theory"]
