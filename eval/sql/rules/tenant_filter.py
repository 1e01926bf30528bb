"""Rows of other tenants: every table that has a tenant column is held to the asked tenant, directly or by a join."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from eval.sql.closure import covered
from eval.sql.joins import column_of
from eval.sql.model import Condition, Query, Ref, conjuncts, core
from eval.sql.names import origin, plain
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject

_PARAMETERS = (exp.Parameter, exp.Placeholder, exp.SessionParameter)


def check(subject: Subject) -> Iterator[Fault]:
    """Tables that no condition holds to the tenant."""
    if subject.ask.tenant is None:
        return
    query, graph, tenant = subject.resolved, subject.graph, subject.ask.tenant
    columns = {
        atom.id: graph.tables[atom.table].with_role("tenant")
        for atom in query.atoms.values()
        if atom.table is not None
    }
    owned = {atom for atom, names in columns.items() if names}
    seeds = {
        atom
        for block in query.blocks
        for condition in block.conditions
        for atom in _held(query, condition, condition.node, tenant, columns)
        if _reaches(query, condition, atom)
    }

    def passes(start: Ref, end: Ref) -> bool:
        """Any equality but one of days; whether the join itself makes sense is another rule's question."""
        columns = (column_of(query, graph, start), column_of(query, graph, end))
        return {start.atom, end.atom} <= owned and not any(each and each.role == "period" for each in columns)

    reached = covered(query, frozenset(seeds), passes)
    for atom in sorted(owned - reached):
        yield Fault(f"{query.atoms[atom].table} is read without holding it to tenant {tenant}")


def _reaches(query: Query, condition: Condition, atom: int) -> bool:
    return condition.inward is None or atom in query.inside(condition.inward)


def _held(
    query: Query, condition: Condition, node: exp.Expr, tenant: str, columns: dict[int, tuple[str, ...]]
) -> frozenset[int]:
    """Row sources that `node` holds to the tenant; of an OR, those that both sides hold."""
    node = core(node)
    if isinstance(node, exp.And):
        parts = [_held(query, condition, part, tenant, columns) for part in conjuncts(node)]
        return frozenset[int]().union(*parts)
    if isinstance(node, exp.Or):
        parts = [_held(query, condition, part, tenant, columns) for part in node.flatten()]
        return frozenset.intersection(*parts)
    column, value = _compared(node)
    if column is None or value is None or not _is_tenant(value, tenant):
        return frozenset()
    ref = plain(column, condition.block)
    found = origin(query, ref) if ref is not None else None
    return (
        frozenset({found.atom})
        if found is not None and found.column in columns.get(found.atom, ())
        else frozenset()
    )


def _compared(node: exp.Expr) -> tuple[exp.Expr | None, exp.Expr | None]:
    if isinstance(node, exp.In) and len(node.expressions) == 1:
        return node.this, node.expressions[0]
    if not isinstance(node, exp.EQ | exp.NullSafeEQ):
        return None, None
    left, right = core(node.this), core(node.expression)
    return (left, right) if isinstance(left, exp.Column) else (right, left)


def _is_tenant(value: exp.Expr, tenant: str) -> bool:
    value = core(value)
    return isinstance(value, _PARAMETERS) or (isinstance(value, exp.Literal) and value.name == tenant)


RULE = RuleSpec("tenant_filter", "may read rows of another tenant", Severity.ERROR, "meaning", check)
