"""Today by the database's clock: in the hours between two zones' midnights it is another day."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.clocks import days_asked, is_converted, offset_minutes, zone_of
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Calendar days from the clock of a session whose zone is not the business's."""
    business = subject.graph.business_zone
    session = subject.ask.session_zone or subject.graph.session_zone
    for statement in subject.statements:
        for node in days_asked(statement):
            zone = zone_of(node, subject.dialect, session)
            same = zone == business or offset_minutes(zone) == offset_minutes(business) is not None
            if not same and not is_converted(node, business):
                yield Fault(f"today is taken in {zone}, the business day is that of {business}", node)


RULE = RuleSpec("today_zone", "takes today from a clock in another zone", Severity.WARNING, "meaning", check)
