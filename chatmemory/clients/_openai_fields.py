"""The fields of OpenAI Chat."""

from chatmemory.clients._fields import Client


OPENAI = Client("openai", "OpenAI Chat")

fields_of = OPENAI.fields_of
take_text = OPENAI.take_text
take_required_text = OPENAI.take_required_text
take_list = OPENAI.take_list
take_fields = OPENAI.take_fields
kept = OPENAI.kept
own = OPENAI.own
unsupported = OPENAI.unsupported
