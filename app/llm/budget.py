"""Trim a conversation to a number of tokens, and keep what matters most."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.records import History, Message

CHARS_PER_TOKEN = 3.5
"""Of English prose with names in it; an estimate on the safe side, since tokenizers differ."""
CUT_MARK = " [... cut ...] "


def tokens_of(text: str) -> int:
    """About how many tokens `text` has."""
    return int(len(text) / CHARS_PER_TOKEN) + 1


def trim(history: History, most_tokens: int, shows_list: Callable[[str], bool]) -> tuple[Message, ...]:
    """The messages of `history`, or those that fit.

    The last message, the first need and the message that shows the standing list are always kept, cut in the
    middle where they are too long for an equal share. Of the rest, what fits is kept from the end backwards.

    Args:
        history: the conversation.
        most_tokens: about how many tokens may be kept.
        shows_list: whether an assistant message shows a shortlist.
    """
    messages = history.messages
    if sum(tokens_of(message.content) for message in messages) <= most_tokens:
        return messages
    texts: dict[int, str] = {}
    room = most_tokens
    essential = sorted(_essential(messages, shows_list), key=lambda index: len(messages[index].content))
    for place, index in enumerate(essential):
        texts[index] = _cut(messages[index].content, room // (len(essential) - place))
        room -= tokens_of(texts[index])
    for index in range(len(messages) - 1, -1, -1):
        size = tokens_of(messages[index].content)
        if index not in texts and size <= room:
            texts[index] = messages[index].content
            room -= size
    return tuple(Message(messages[index].role, texts[index]) for index in sorted(texts))


def _essential(messages: Sequence[Message], shows_list: Callable[[str], bool]) -> set[int]:
    ours = [i for i, message in enumerate(messages) if message.role == "assistant"]
    needs = [i for i, message in enumerate(messages) if message.role == "user"]
    standing = next((i for i in reversed(ours) if shows_list(messages[i].content)), None)
    return {len(messages) - 1, *needs[:1]} | ({standing} if standing is not None else set())


def _cut(text: str, most_tokens: int) -> str:
    most = int(max(most_tokens - 1, 0) * CHARS_PER_TOKEN)
    if len(text) <= most:
        return text
    side = max((most - len(CUT_MARK)) // 2, 0)
    return f"{text[:side]}{CUT_MARK}{text[len(text) - side :]}" if side else ""
