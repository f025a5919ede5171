"""Talks to an agent with OpenAI's library for Python: `python openai_client.py URL MODEL`.

Prints a line of JSON for each call: its name, and what went wrong.
"""

import json
import sys

from openai import NotFoundError, OpenAI

base_url, model = sys.argv[1:3]
client = OpenAI(api_key="none", base_url=base_url, max_retries=0)
greeting = [{"role": "user", "content": "Hello. Ünïcode 😀"}]


def list_models():
    return model if model in [each.id for each in client.models.list()] else ""


def complete():
    return client.chat.completions.create(model=model, messages=greeting).choices[0].message.content


def complete_streamed():
    chunks = client.chat.completions.create(
        model=model, messages=greeting, stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for chunk in chunks:
        usage = chunk.usage or usage
        text += "".join(choice.delta.content or "" for choice in chunk.choices)
    return text if usage and usage.total_tokens > 0 else ""


def respond():
    return client.responses.create(model=model, input="Hello").output_text


def respond_streamed():
    with client.responses.stream(model=model, input="Hello") as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        return text if stream.get_final_response().output_text == text else ""


def continue_and_read():
    first = client.responses.create(model=model, input="Hello")
    second = client.responses.create(model=model, input="Again", previous_response_id=first.id)
    return client.responses.retrieve(second.id).output_text


def list_input():
    response = client.responses.create(model=model, input="Hällo")
    items = client.responses.input_items.list(response.id).data
    return items[-1].content[0].text if items[-1].content[0].text == "Hällo" else ""


def delete():
    response = client.responses.create(model=model, input="Hello")
    client.responses.delete(response.id)
    try:
        client.responses.retrieve(response.id)
    except NotFoundError as error:
        return error.code
    return ""


def refuse_unknown():
    try:
        client.responses.create(model=model, input="Hello", previous_response_id="resp_unknown")
    except NotFoundError as error:
        return "refused" if error.code == "previous_response_not_found" else ""
    return ""


calls = [
    list_models,
    complete,
    complete_streamed,
    respond,
    respond_streamed,
    continue_and_read,
    list_input,
    delete,
    refuse_unknown,
]
for call in calls:
    name = f"openai of Python: {call.__name__}"
    try:
        print(json.dumps({"name": name, **({} if call() else {"fault": "no text"})}))
    except Exception as error:
        print(json.dumps({"name": name, "fault": f"{type(error).__name__}: {error}"[:300]}))
