"""Whether a view makes a request that a provider takes."""

from collections.abc import Sequence

from chatmemory import ChatMessage
from chatmemory.cli.openai_rules import violations
from chatmemory.clients.openai import to_openai
from chatmemory.conversation import unanswered
from validator import problems


def refusals(
    view: Sequence[ChatMessage], *, said: Sequence[ChatMessage] = ()
) -> list[str]:
    """List why it can't be sent: broken pairs, open calls, and what OpenAI refuses."""
    return [
        *problems(view, said=said),
        *(f"{call.id}: is open" for call in unanswered(view)),
        *violations(to_openai(view)),
    ]
