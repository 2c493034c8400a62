"""The names that parameters may have, for editors and type checkers; the library checks them again."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

ModelName: TypeAlias = Literal["auto", "linear", "trees", "knn", "mlp", "cnn", "margin"]
MethodName: TypeAlias = Literal[
    "gradual", "source-only", "target", "pooled", "accumulate", "goat", "overlapping", "ordered"
]
PolicyName: TypeAlias = Literal["guarded", "always", "never"]
AlignmentName: TypeAlias = Literal["none", "standardize", "quantiles", "coral", "subspace"]
LabelerName: TypeAlias = Literal[
    "teacher", "none", "balanced", "mixture", "clusters", "transport", "cores", "agreement", "moved-source", "importance",
    "label-shift", "asked",
]  # fmt: skip
TailName: TypeAlias = Literal["merge", "keep", "drop"]
#: A part with its settings, as in files: ``{"guarded": {"labels-per-window": 10}}``.
Part: TypeAlias = dict[str, Any]
