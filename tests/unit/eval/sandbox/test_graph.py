"""The knowledge graph is whole: every name in it leads somewhere."""

import shutil

import pytest

from eval.errors import DatasetError
from eval.sandbox.graph import DATABASES, FOLDER, ddl, load_graph

GRAPH = load_graph()
COLUMNS = {f"{table.name}.{name}" for table in GRAPH.tables.values() for name in table.columns}


def test_sizes_are_those_agreed() -> None:
    assert (len(GRAPH.tables), len(GRAPH.entities), len(GRAPH.relationships)) == (148, 39, 74)
    assert {name.split(".")[0] for name in GRAPH.tables} == set(DATABASES)


def test_every_table_and_column_is_described_in_words() -> None:
    for table in GRAPH.tables.values():
        assert len(table.text.split()) >= 2, table.name
        assert set(table.key) <= set(table.columns), table.name
        for column in table.columns.values():
            assert column.text.endswith((".", "..")), (table.name, column.name)


def test_both_ends_of_every_edge_exist_and_the_right_end_is_unique() -> None:
    for edge in GRAPH.edges:
        for left, right in edge.pairs:
            assert f"{edge.left}.{left}" in COLUMNS
            assert f"{edge.right}.{right}" in COLUMNS
        assert set(GRAPH.tables[edge.right].key) <= {right for _, right in edge.pairs}, edge


def test_relationships_name_entities_and_are_join_edges() -> None:
    edges = {(edge.left, edge.pairs[0][0], edge.right): edge for edge in GRAPH.edges if len(edge.pairs) == 1}
    for relationship in GRAPH.relationships:
        table, _, column = relationship.join.rpartition(".")
        assert GRAPH.entities[relationship.source].table == table
        edge = edges[table, column, GRAPH.entities[relationship.target].table]
        assert relationship.cardinality == edge.cardinality, relationship


def test_entities_metrics_and_dimensions_stand_on_columns() -> None:
    for entity in GRAPH.entities.values():
        assert f"{entity.table}.{entity.label}" in COLUMNS
        assert entity.hindi
    for metric in GRAPH.metrics.values():
        assert metric.ratio is None or set(metric.ratio) <= set(GRAPH.metrics)
        assert bool(metric.ratio) != bool(metric.table), metric.name
        assert metric.date is None or f"{metric.table}.{metric.date}" in COLUMNS
        assert metric.hindi, metric.name
    for dimension in GRAPH.dimensions.values():
        assert f"{dimension.table}.{dimension.column}" in COLUMNS


def test_ddl_declares_keys_within_a_database_only() -> None:
    assert "FOREIGN KEY (bill_id) REFERENCES bill (bill_id)" in ddl(GRAPH.tables["sales.bill_line"])
    assert "REFERENCES sku" not in ddl(GRAPH.tables["inventory.stock_ledger"])


def test_a_column_without_an_entry_in_the_dictionary_is_named(tmp_path) -> None:
    folder = tmp_path / "retail"
    shutil.copytree(FOLDER, folder)
    path = folder / "sales.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("region_id region_name", "region_id regon_name"))
    with pytest.raises(DatasetError, match=r"sales\.yaml: KeyError\('regon_name'\)"):
        load_graph(folder)
