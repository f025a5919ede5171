"""Uses the clients that OpenAPI Generator makes for Python: `python client.py URL`. Prints the fault of each use, or null."""

import base64
import json
import sys
import time

import troupe
import troupe_forms
from troupe import FilePart, RunRequest, RunRequestInput, TextPart
from troupe.models.content_part import ContentPart

client = troupe.ApiClient(troupe.Configuration(host=sys.argv[1]))
agents, sessions = troupe.AgentsApi(client), troupe.SessionsApi(client)
forms = troupe_forms.AgentsApi(troupe_forms.ApiClient(troupe_forms.Configuration(host=sys.argv[1])))
plan = ("plan.pdf", open("plan.pdf", "rb").read())


def asking(text, **more):
    return RunRequest(input=RunRequestInput(text), **more)


def run_an_agent():
    answer = agents.run_agent_assistant(asking("Hello?", session_id="python"))
    assert answer.text == "Hello.", answer


def read_structured_output():
    report = agents.run_agent_weather_report(asking("Oslo?"))
    assert report.structured.city == "Rain.", report


def run_a_workflow():
    result = troupe.WorkflowsApi(client).run_workflow_morning_briefing()
    assert result.status == "completed", result


def send_a_file_in_json():
    data = base64.b64encode(plan[1]).decode()
    file = FilePart(type="file", data=data, mime_type="application/pdf", filename="plan.pdf")
    parts = [ContentPart(TextPart(type="text", text="What is in it?")), ContentPart(file)]
    answer = agents.run_agent_assistant(RunRequest(input=RunRequestInput(parts), session_id="python-file"))
    assert answer.text == "Hello.", answer


def read_turns():
    turn = sessions.list_turns("python").turns[0]
    assert turn.input.actual_instance == "Hello?", turn
    assert turn.messages[-1].content.actual_instance == "Hello.", turn
    assert abs(turn.created_at / 1000 - time.time()) < 5, turn.created_at


def read_the_parts_of_a_turn():
    _, file = (part.actual_instance for part in sessions.list_turns("python-file").turns[0].input.actual_instance)
    assert file.stored.index == 0, file


def read_an_error():
    try:
        sessions.read_session("nowhere")
    except troupe.exceptions.NotFoundException as error:
        assert error.data.error.code == "not_found", error.data
        return
    raise AssertionError("no error was raised")


def events(response):
    buffer = b""
    for piece in response.stream(1):
        buffer += piece
        *lines, buffer = buffer.split(b"\n")
        yield from (json.loads(line[6:]) for line in lines if line.startswith(b"data: "))


def read_the_events_of_a_stream():
    types = [event["type"] for event in events(agents.stream_agent_assistant_without_preload_content(asking("Hello?")))]
    assert types == ["text", "finish"], types


def read_a_stream_as_it_comes():
    response = agents.stream_agent_assistant_without_preload_content(asking("Answer slowly."))
    times = {event["type"]: time.monotonic() for event in events(response)}
    assert times["finish"] - times["text"] > 0.3, times


def send_a_form_beside_json():
    answer = agents.run_agent_assistant(input="What is in it?", files=[plan])
    assert answer.text == "Hello.", answer


def send_a_form():
    answer = forms.run_agent_assistant(input="What is in it?", files=[plan], session_id="python-form")
    assert answer.text == "Hello.", answer


def fault_of(use):
    try:
        use()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


uses = {
    "run": run_an_agent,
    "structured": read_structured_output,
    "workflow": run_a_workflow,
    "file": send_a_file_in_json,
    "turns": read_turns,
    "parts": read_the_parts_of_a_turn,
    "error": read_an_error,
    "stream": read_the_events_of_a_stream,
    "live": read_a_stream_as_it_comes,
    "formBesideJson": send_a_form_beside_json,
    "form": send_a_form,
}
print(json.dumps({name: fault_of(use) for name, use in uses.items()}))
