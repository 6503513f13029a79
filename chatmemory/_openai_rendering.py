"""
How OpenAI shows calls and results to its models: what is tokenised is not what is sent.

OpenAI does not say so; it follows from the token counts of recorded requests.
"""

import json

from collections.abc import Iterable

from chatmemory.messages import ToolExecutionRequest


def rendered_arguments(request: ToolExecutionRequest) -> str:
    """Return the arguments as compact JSON; what is no JSON, as it is."""
    arguments = "{}" if request.arguments is None else request.arguments
    try:
        value = json.loads(arguments)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments


def rendered_calls(requests: Iterable[ToolExecutionRequest]) -> str:
    """Return several calls, which are shown as one call of a tool that calls tools."""
    calls = (
        f'{{"recipient_name":"{tool_author(request.name)}",'
        f'"parameters":{rendered_arguments(request)}}}'
        for request in requests
    )
    return f'{{"tool_uses":[{",".join(calls)}]}}'


def rendered_results(texts: list[str]) -> str:
    """Return the results of several calls, which are one list."""
    return json.dumps(texts, ensure_ascii=False)


def tool_author(name: str | None) -> str:
    """Return the author that a tool's result has."""
    return f"functions.{name or ''}"
