"""The fast proxy: what retrieval alone finds for the need of a conversation, arm by arm.

The need is everything that the user says in the whole conversation, without the service's answers. No policy
and no edits to a list take part, so that a change of retrieval shows within a second or two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.api.dependencies import CatalogSide
from app.pipeline import CANDIDATES_KEPT, Pipeline
from app.records import Act, Decision, Edits, History, Message, Pick, Understanding
from app.retrieval import Candidates
from eval.metrics import f1, ndcg_at, precision_at, recall_at, reciprocal_rank
from eval.records import Case, RecallRow, Result, scored, unscored

ARMS = ("dense", "bm25", "fused", "fused+assembly")
DEPTH = 50


@dataclass(frozen=True, slots=True)
class Need:
    """A conversation's need, understood once and searched once for all arms."""

    understanding: Understanding
    candidates: Candidates


Arm = Callable[[Need], tuple[str, ...]]


class RecallEval:
    """Ranks the needs of conversations through the parts of a loaded pipeline."""

    def __init__(self, side: CatalogSide) -> None:
        """Use the stages of `side`.

        Raises:
            TypeError: what answers is not the pipeline, so there are no stages.
        """
        if not isinstance(side.responder, Pipeline):
            raise TypeError("the retrieval proxy needs the pipeline's stages")
        self._pipeline = side.responder

    @property
    def arms(self) -> Mapping[str, Arm]:
        """How each arm orders ids."""
        return {
            "dense": lambda need: tuple(hit.id for hit in need.candidates.dense),
            "bm25": lambda need: tuple(hit.id for hit in need.candidates.lexical),
            "fused": lambda need: tuple(hit.id for hit in need.candidates.fused),
            "fused+assembly": lambda need: self.assemble(need, self._pipeline),
        }

    def need(self, case: Case) -> Need:
        """What the user of `case` wants, and what is found for it."""
        said = tuple(Message("user", turn.user) for turn in case.turns)
        understanding = self._pipeline.understander.understand(History(said))
        return Need(understanding, self._pipeline.searcher.search(understanding.search_query, DEPTH))

    def rows(self, case: Case) -> tuple[RecallRow, ...]:
        """One row per arm."""
        need = self.need(case)
        return tuple(
            row(case, name, arm(need), need, unavailable=name == "dense" and not need.candidates.dense_used)
            for name, arm in self.arms.items()
        )

    @classmethod
    def assemble(cls, need: Need, pipeline: Pipeline) -> tuple[str, ...]:
        """Ids of the battery for the need."""
        return tuple(pick.id for pick in cls.picks(need, pipeline))

    @staticmethod
    def picks(need: Need, pipeline: Pipeline) -> tuple[Pick, ...]:
        """The battery for the need, as if there were no list yet and nothing left to ask."""
        understanding = replace(need.understanding, act=Act.RECOMMEND, standing=(), edits=Edits())
        decision = Decision(Act.RECOMMEND, "recall_eval", "the proxy never asks")
        best = need.candidates
        shown = replace(best, fused=best.fused[:CANDIDATES_KEPT])
        return pipeline.assembler.assemble(understanding, decision, shown).picks


def row(case: Case, arm: str, ids: Sequence[str], need: Need, *, unavailable: bool = False) -> RecallRow:
    """The measures of one ranking; unscored when the arm is not there or the labels require nothing."""
    must, may = case.final.must, case.final.may
    reason = "this arm is not loaded" if unavailable else "the labels require nothing"
    recall, precision = recall_at(ids, must), precision_at(ids, must, may)
    values = {
        "recall@10": recall,
        "recall@20": recall_at(ids, must, 20),
        "precision": precision,
        "f1": f1(recall, precision),
        "ndcg@10": ndcg_at(ids, must, may),
        "mrr": reciprocal_rank(ids, must),
    }
    results: tuple[Result, ...] = tuple(
        unscored(name, reason) if value is None or unavailable else scored(name, value)
        for name, value in values.items()
    )
    return RecallRow(
        case_id=case.id,
        family=case.family,
        split=case.split,
        arm=arm,
        ids=tuple(ids[:20]),
        results=results,
        missed=tuple(key for key in must if key not in ids[:10]),
    )
