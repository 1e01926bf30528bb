"""What can go wrong with a measurement itself, as opposed to what is measured.

EvalError
├─ DatasetError     a conversation, probe or label file cannot be used; says which and why
├─ AdapterError     a channel cannot be built or is not known
├─ StoreError       a run file belongs to another state of the project, or is damaged
├─ GateError        the gates file names a measure that nothing produces
├─ EvaluatorError   an unknown dimension, or weights that do not add up
├─ CompareError     two runs that cannot be held against each other
└─ JudgeError       a judge cannot be built, or its files cannot be used; says which and what to set
"""

from __future__ import annotations


class EvalError(Exception):
    """Base of all errors of the evaluation."""


class DatasetError(EvalError):
    """A file of cases cannot be used."""


class AdapterError(EvalError):
    """A channel cannot be built."""


class StoreError(EvalError):
    """A stored run cannot be used."""


class GateError(EvalError):
    """The gates cannot be applied."""


class EvaluatorError(EvalError):
    """The dimensions cannot be measured as asked."""


class CompareError(EvalError):
    """Two runs cannot be compared."""


class JudgeError(EvalError):
    """A judge cannot be built, or a file of it cannot be used."""
