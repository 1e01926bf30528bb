"""What the rules read, written as a model would answer: the filled example, and the twin of a paid run."""

from __future__ import annotations

from app.catalog import Catalog
from app.llm.schema import Constraints, ListEdits, RouterAnswer
from app.records import Understanding


def answer_of(seen: Understanding, catalog: Catalog) -> RouterAnswer:
    """`seen` in the shape of a router's answer. Merged back into `seen`, it changes nothing."""
    limits, edits = seen.limits, seen.edits

    def names(ids: tuple[str, ...]) -> list[str]:
        return [catalog[id_].name for id_ in ids]

    return RouterAnswer(
        intent=seen.act,
        constraints=Constraints(
            role=seen.role_text or None,
            family=seen.families[0] if seen.families else None,
            seniority=seen.seniority,
            purpose=seen.purpose,
            leads=seen.lead,
            stack_side=seen.stack_side,  # type: ignore[arg-type]
            skills=[wish.skill for wish in seen.skills],
            unwanted_skills=sorted(seen.unwanted_skills),
            unwanted_test_types=sorted(seen.unwanted_types),  # type: ignore[arg-type]
            minutes_each=limits.minutes_each,
            minutes_total=limits.minutes_total,
            list_size=limits.list_size,
            test_languages=list(limits.languages),
            spoken_language=seen.spoken_language,
            accent=seen.accent,
            adaptive=limits.adaptive,
            remote=limits.remote,
            quick=limits.quick or None,
        ),
        search_query=seen.search_query,
        named_assessments=[*names(seen.named), *seen.unknown_names],
        edits=ListEdits(
            add=[*names(edits.add), *edits.add_skills],
            drop=names(edits.drop),
            replace=names(edits.replace),
            only=names(edits.only),
            keep=names(edits.keep),
            undo=edits.undo,
        ),
        out_of_scope=list(seen.scope_issues),
    )
