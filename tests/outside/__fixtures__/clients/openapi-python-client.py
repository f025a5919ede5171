"""Uses the client that openapi-python-client generates: `python openapi-python-client.py URL`."""

import builtins
import io
import sys

from troupe_demo_server_client import Client
from troupe_demo_server_client.types import File, Unset

# The generator forgets this import where a body has two types.
builtins.Unset = Unset

from troupe_demo_server_client.api.agents import list_agents, run_agent_assistant, run_agent_weather_report  # noqa: E402
from troupe_demo_server_client.api.sessions import delete_session, list_turns, read_session  # noqa: E402
from troupe_demo_server_client.api.workflows import run_workflow_morning_briefing  # noqa: E402
from troupe_demo_server_client.models import (  # noqa: E402
    Error,
    RunAgentAssistantFilesBody,
    RunRequest,
    RunWorkflowMorningBriefingBody,
)

with Client(base_url=sys.argv[1]) as client:
    names = [agent.name for agent in list_agents.sync(client=client).agents]
    assert "assistant" in names, names

    said = RunRequest(input_="Hello?", session_id="python")
    assert run_agent_assistant.sync(client=client, body=said).text == "Hello."
    report = run_agent_weather_report.sync(client=client, body=RunRequest(input_="Oslo?"))
    assert report.structured is not None, report
    plan = File(payload=io.BytesIO(b"a plan"), file_name="plan.txt", mime_type="text/plain")
    form = RunAgentAssistantFilesBody(input_="What is in it?", files=[plan], session_id="python")
    answer = run_agent_assistant.sync(client=client, body=form)
    assert answer.text == "Hello.", answer
    briefing = run_workflow_morning_briefing.sync(client=client, body=RunWorkflowMorningBriefingBody())
    assert briefing.status == "completed", briefing

    assert read_session.sync("python", client=client).turns == 2
    assert len(list_turns.sync("python", client=client).turns) == 2
    assert delete_session.sync_detailed("python", client=client).status_code == 204
    missing = read_session.sync("python", client=client)
    assert isinstance(missing, Error) and missing.error.code == "not_found", missing
    refused = run_agent_assistant.sync(client=client, body=RunRequest(input_=""))
    assert isinstance(refused, Error) and refused.error.code == "invalid_request", refused
