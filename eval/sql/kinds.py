"""Whether an expression is a whole number by type."""

from __future__ import annotations

from sqlglot import exp

from eval.sql.graph import SchemaGraph
from eval.sql.model import Block, Output, Query, cast_to
from eval.sql.names import resolve

_AS_ARGUMENT = (
    *(
        exp.Sum,
        exp.Min,
        exp.Max,
        exp.Abs,
        exp.Neg,
        exp.Paren,
        exp.Filter,
        exp.Window,
        exp.AnyValue,
        exp.Nullif,
    ),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue),
)
_ALWAYS = (
    *(
        exp.Count,
        exp.CountIf,
        exp.ApproxDistinct,
        exp.RowNumber,
        exp.Rank,
        exp.DenseRank,
        exp.Ntile,
        exp.Length,
    ),
    *(exp.Year, exp.Month, exp.Day, exp.Quarter, exp.DateDiff, exp.TsOrDsDiff),
)
_INTEGERS = ("int", "bigint", "smallint", "tinyint", "mediumint")
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Mod)


def is_integer(node: exp.Expr | None, block: Block, query: Query, graph: SchemaGraph) -> bool:
    """True when `node` is certainly of a whole-number type; False also where that is not known."""
    if isinstance(node, exp.Literal):
        return not node.is_string and node.is_int
    if isinstance(node, exp.Column):
        return _column(node, block, query, graph)
    if isinstance(node, exp.Cast | exp.TryCast | exp.Convert):
        return cast_to(node, *_INTEGERS)
    if isinstance(node, _ALWAYS):
        return True
    if isinstance(node, exp.Expr):
        parts = _parts(node)
        return bool(parts) and all(is_integer(each, block, query, graph) for each in parts)
    return False


def _parts(node: exp.Expr) -> list[exp.Expr]:
    """Expressions that are whole numbers exactly when `node` is one."""
    if isinstance(node, _AS_ARGUMENT):
        return [node.this] if isinstance(node.this, exp.Expr) else []
    if isinstance(node, _ARITHMETIC) or (isinstance(node, exp.Div) and node.args.get("typed")):
        return [node.this, node.expression]
    if isinstance(node, exp.Coalesce):
        found = [node.this, *node.expressions]
    elif isinstance(node, exp.Case):
        found = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]
    elif isinstance(node, exp.If):
        found = [node.args.get("true"), node.args.get("false")]
    else:
        return []
    return [each for each in found if each is not None and not isinstance(each, exp.Null)]


def _column(node: exp.Column, block: Block, query: Query, graph: SchemaGraph) -> bool:
    output = resolve(node, block)
    if not isinstance(output, Output):
        return False
    if output.ref is not None:
        atom = query.atoms[output.ref.atom]
        if atom.table is not None:
            return graph.tables[atom.table].columns[output.ref.column].type == "integer"
        output = atom.outputs.get(output.ref.column, output)
    if output.node is None or output.block is None or output.node is node:
        return False
    return is_integer(output.node, output.block, query, graph)
