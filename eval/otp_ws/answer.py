"""Puts one answer together from signals. Pure: the clock is whoever calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from eval.otp_ws.signals import Kind, Signal

_LEAST_REPEATED = 16
"""Characters from which a text that stands there twice is one that was sent twice."""
MISMATCH = "the pieces do not make up the final text"
REPEATED = "the final text was sent twice"


@dataclass(frozen=True, slots=True)
class Streamed:
    """What came of one question."""

    text: str
    complete: bool
    """Whether the stream said that this is all."""
    why: str
    """What ended an answer that is not complete."""
    timed_out: bool
    """Whether that was a deadline of ours."""
    intact: bool | None
    """Whether pieces and final text agree and nothing came twice; None when there were no pieces or no end."""
    faults: tuple[str, ...]
    ttft_ms: float | None
    """From the trigger to the first words."""
    chunk_count: int
    """Pieces with words in them."""
    duration_ms: float | None
    """From the first piece to the last; None with fewer than two."""
    input_tokens: int | None
    output_tokens: int | None
    trace_id: str | None
    latency_ms: float
    """From the trigger to the end, however it came."""

    @property
    def tokens_per_sec(self) -> float | None:
        """Tokens that the stream counted over its duration; None when it counts none."""
        if self.output_tokens is None or not self.duration_ms:
            return None
        return round(self.output_tokens / (self.duration_ms / 1000), 3)


@dataclass(slots=True)
class Answer:
    """The answer to one question while it comes. Signals of other messages and threads are not for it."""

    thread_id: str
    message_id: str | None = None
    """The message that is awaited; the first one that shows up when nobody said which."""
    over_ms: float | None = None
    """When it said that it has ended, well or badly; None while it has not."""
    why: str = ""
    faults: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _wholes: list[str] = field(default_factory=list)
    _first_ms: float | None = None
    _piece_ms: list[float] = field(default_factory=list)
    _input_tokens: int | None = None
    _output_tokens: int | None = None
    _trace_id: str | None = None

    def take(self, signal: Signal, at_ms: float) -> None:
        """Add what arrived `at_ms` after the trigger."""
        if signal.thread_id not in (None, self.thread_id):
            return
        if signal.message_id is not None:
            self.message_id = self.message_id or signal.message_id
            if signal.message_id != self.message_id:
                return
        self._note(signal)
        if signal.kind in (Kind.PIECE, Kind.WHOLE) and signal.text:
            self._first_ms = at_ms if self._first_ms is None else self._first_ms
        if signal.kind is Kind.PIECE and signal.text:
            self._pieces.append(signal.text)
            self._piece_ms.append(at_ms)
        elif signal.kind is Kind.WHOLE:
            self._wholes.append(signal.text)
        elif signal.kind in (Kind.END, Kind.ERROR):
            self.why = self.why or signal.text or ("an error" if signal.kind is Kind.ERROR else "")
        if self.over_ms is None and signal.kind in (Kind.WHOLE, Kind.END, Kind.ERROR):
            self.over_ms = at_ms

    def _note(self, signal: Signal) -> None:
        self._trace_id = self._trace_id or signal.trace_id
        self._input_tokens = _latest(signal.input_tokens, self._input_tokens)
        self._output_tokens = _latest(signal.output_tokens, self._output_tokens)

    def result(self, at_ms: float, broken: str = "", *, timed_out: bool = False) -> Streamed:
        """What is there `at_ms` after the trigger. `broken` says what ended a stream that did not say so itself."""
        joined = _heal("".join(self._pieces))
        text, repeated = (_heal(self._wholes[0]), len(self._wholes) > 1) if self._wholes else _once(joined)
        faults = list(self.faults)
        fits = not self._pieces or not self._wholes or joined == text
        faults += [] if fits else [MISMATCH if _once(joined)[0] != text.strip() else REPEATED]
        faults += [REPEATED] if repeated and REPEATED not in faults else []
        why = self.why or ("" if self.over_ms is not None else broken)
        spread = self._piece_ms[-1] - self._piece_ms[0] if len(self._piece_ms) > 1 else None
        return Streamed(
            text=text,
            complete=not why,
            why=why,
            timed_out=timed_out,
            intact=False if not fits or repeated else True if self._pieces and not why else None,
            faults=tuple(faults),
            ttft_ms=None if self._first_ms is None else round(self._first_ms, 3),
            chunk_count=len(self._pieces),
            duration_ms=None if spread is None else round(spread, 3),
            input_tokens=self._input_tokens,
            output_tokens=self._output_tokens,
            trace_id=self._trace_id,
            latency_ms=round(at_ms if self.over_ms is None else self.over_ms, 3),
        )


def _latest(new: int | None, old: int | None) -> int | None:
    return old if new is None else new


def _heal(text: str) -> str:
    """`text` with halves of a character joined that came in two pieces, and lone ones replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _once(text: str) -> tuple[str, bool]:
    """`text` without its repetition, if it is one and the same text twice, and whether it was."""
    trimmed = text.strip()
    for gap in range(min(5, len(trimmed))):
        half, odd = divmod(len(trimmed) - gap, 2)
        between = trimmed[half : len(trimmed) - half]
        if not odd and half >= _LEAST_REPEATED and not between.strip() and trimmed[:half] == trimmed[-half:]:
            return trimmed[:half], True
    return text, False
