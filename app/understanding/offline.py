"""Read a whole conversation by rules: the default, and what a language model falls back on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.catalog import Catalog
from app.knowledge import Knowledge
from app.records import Act, History, Limits, Understanding
from app.understanding.conversation import ConversationReader, Turn
from app.understanding.edit_draft import Before
from app.understanding.edits import EditReader, MessageEdits
from app.understanding.folding import Folder
from app.understanding.intent import act_of, brings_facts, repeats_itself, scope_issues
from app.understanding.languages import MIN_WORDS, OR
from app.understanding.lexicon import Lexicon, load_lexicon
from app.understanding.query import search_query
from app.understanding.references import Ids
from app.understanding.state import State, settle_types


class OfflineUnderstander:
    """Understands conversations by lexicon and rules. Stateless: readings are remembered by content only."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge, lexicon_dir: Path) -> None:
        self._knowledge = knowledge
        self._lexicon = load_lexicon(lexicon_dir, catalog, knowledge)
        self._conversation = ConversationReader(catalog, self._lexicon)
        self._edits = EditReader(catalog, knowledge)
        self._folder = Folder(knowledge)

    @property
    def lexicon(self) -> Lexicon:
        """The phrases it reads with."""
        return self._lexicon

    def understand(self, history: History) -> Understanding:
        """What the whole conversation says, and what its last message asks for."""
        turns = self._conversation.turns(history)
        if not turns:
            return Understanding(act=Act.CLARIFY, has_content=False, message_count=len(history))
        state, edits = State(), MessageEdits()
        compared: Ids = ()
        aim = state.aim
        for turn in turns:
            before = Before(turn.standing, turn.previous_list, compared, edits.topic, bool(edits.advice_on))
            edits = self._edits.read(turn.reading, before)
            aim = state.aim
            self._folder.fold(state, turn, edits)
            compared = edits.compared if edits.compares else () if edits.changes else compared
        understanding = self._record(turns, state, edits, compared)
        moved = bool(turns[-1].standing) and state.aim != aim and not edits.accepts
        return replace(understanding, new_aim=moved, message_count=len(history))

    def _record(
        self, turns: Sequence[Turn], state: State, edits: MessageEdits, compared: Ids
    ) -> Understanding:
        last = turns[-1]
        reading = last.reading
        families = self._folder.families(state)
        issues = scope_issues(last, edits)
        return Understanding(
            act=act_of(last, edits, issues, has_need=bool(families or state.skills or state.added)),
            families=families,
            role_text=state.role_text,
            seniority=state.seniority,
            lead=state.lead,
            purpose=state.purpose,
            selects=state.selects,
            skills=tuple(state.skills.values()),
            unwanted_skills=frozenset(state.unwanted_skills),
            unwanted_types=settle_types(state, self._knowledge),
            limits=self._limits(state),
            spoken_language=state.spoken_language,
            accent=state.accent,
            stack_side=state.stack_side,
            edits=edits.record,
            dropped=frozenset(state.dropped),
            added=tuple(state.added),
            named=edits.named,
            unknown_names=reading.unknown_names,
            standing=last.standing,
            undo_to=last.previous_list if edits.record.undo else (),
            compared=edits.compared or compared,
            advice_on=edits.advice_on,
            scope_issues=issues,
            asked=tuple(turn.asked for turn in turns if turn.asked is not None),
            no_preference=reading.has("no_preference") or repeats_itself(turns),
            go_ahead=any(turn.reading.has("go_ahead") for turn in turns),
            only_named=state.only_named,
            accepts=edits.accepts,
            rejects=edits.rejects,
            pitch=edits.pitch,
            new_facts=brings_facts(last, edits),
            has_content=not reading.text.is_empty,
            need_words=sum(len(text.split()) for text in state.need_texts),
            search_query=search_query(self._knowledge, families, state),
            reply_language=_reply_language(turns),
        )

    def _limits(self, state: State) -> Limits:
        names = self._lexicon.catalogue_languages
        return Limits(
            minutes_each=state.minutes_each,
            minutes_total=state.minutes_total,
            languages=tuple(state.languages),
            catalogue_languages=tuple(
                tuple(name for one in language.split(OR) for name in names[one])
                for language in state.languages
            ),
            language_lifted=state.language_lifted,
            language_strict=state.language_strict,
            adaptive=state.adaptive,
            remote=state.remote,
            list_size=state.list_size,
            quick=state.quick,
        )


def _reply_language(turns: Sequence[Turn]) -> str:
    """The language of the last message that is long enough to tell."""
    telling = [t for t in turns if len(t.reading.text.plain.split()) >= MIN_WORDS]
    return telling[-1].reading.reply_language if telling else "en"
