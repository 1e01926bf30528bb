"""From a graded case to what a tracing service shows of it."""

from __future__ import annotations

from eval.records import CaseResult
from eval.tracing.base import CaseTrace, TraceScore


def trace_of(run_id: str, case: CaseResult) -> CaseTrace:
    """One trace with a score for each dimension, and the overall."""
    scores = [TraceScore(result.name, result.value, result.reason) for result in case.results]
    last = case.payloads[-1] if case.payloads else None
    return CaseTrace(
        run=run_id,
        case=f"{case.case_id}/{case.replicate}" if case.replicate else case.case_id,
        channel=case.channel,
        question=last.question if last else "",
        answer=last.ai_response if last else "",
        verdict=case.verdict,
        scores=(TraceScore("overall", case.overall, case.reason), *scores),
        facts={"family": case.family, "profile": case.profile, "coverage": f"{case.coverage:.0%}"},
    )
