"""Write a conversation for people, as Markdown."""

from typing import Any

from core.words import Lang, phrase

Shown = dict[str, Any]


def markdown(conversation: Shown, lang: Lang) -> str:
    """Write all messages with who said them when; what an edit replaced says so."""
    title = " ".join(conversation["title"].split()) or phrase("conversation.untitled", lang)
    parts = [f"# {title}", *(_message(each, lang) for each in conversation["messages"])]
    return "\n\n".join(parts) + "\n"


def _message(message: Shown, lang: Lang) -> str:
    who = phrase(f"said.{message['role']}", lang)
    replaced = f" · {phrase('said.replaced', lang)}" if message["replaced_by"] else ""
    parts = [f"## {who} · {message['created']}{replaced}", message["content"], _failure(message)]
    return "\n\n".join(part for part in parts if part)


def _failure(message: Shown) -> str:
    error = message.get("error")
    return f"> {error['code']}: {error['message']}" if error else ""
