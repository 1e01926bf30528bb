"""Conversations written down as what the user says, with lists shown in between."""

from __future__ import annotations

from collections.abc import Sequence

from app.api.dependencies import CatalogSide
from app.catalog import AssessmentId
from app.pipeline import Pipeline
from app.records import History, Message, Understanding

JAVA = AssessmentId("core-java-advanced-level-new")
SQL = AssessmentId("sql-new")
DOCKER = AssessmentId("docker-new")
REASONING = AssessmentId("shl-verify-interactive-g")
TRAITS = AssessmentId("occupational-personality-questionnaire-opq32r")
LIST = (JAVA, SQL, DOCKER, REASONING, TRAITS)


class Talk:
    """Asks the offline understander what a conversation says."""

    def __init__(self, side: CatalogSide) -> None:
        assert isinstance(side.responder, Pipeline)
        self._understand = side.responder.understander.understand
        self._catalog = side.catalog

    def show(self, ids: Sequence[str]) -> str:
        """An assistant message with a list."""
        rows = [f"{place}. {self._catalog[id_].name}" for place, id_ in enumerate(ids, 1)]  # type: ignore[index]
        return "\n".join(["Here is a list.", *rows])

    def says(self, *messages: str | Sequence[str]) -> Understanding:
        """Understand messages: a text is the user's (every other one ours), ids are a list we showed."""
        history: list[Message] = []
        for message in messages:
            if isinstance(message, str):
                role = "assistant" if history and history[-1].role == "user" else "user"
                history.append(Message(role, message))  # type: ignore[arg-type]
            else:
                history.append(Message("assistant", self.show(message)))
        return self._understand(History(tuple(history)))

    def on_list(self, message: str, standing: Sequence[str] = LIST) -> Understanding:
        """Understand `message` said to a list that stands."""
        return self.says("We are hiring a Java developer who also knows SQL and Docker.", standing, message)
