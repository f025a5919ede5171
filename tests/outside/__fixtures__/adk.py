"""Asks remote agents as Google ADK does: `python adk.py URL`. Prints what its sessions store, as JSON."""

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types


def shown(part):
    return part.text if part.text else part.inline_data.mime_type


async def ask(url, name, streams, http):
    card = f"{url}/agents/{name}/.well-known/agent-card.json"
    factory = ClientFactory(ClientConfig(streaming=streams, httpx_client=http))
    agent = RemoteA2aAgent(name=name, agent_card=card, a2a_client_factory=factory)
    sessions = InMemorySessionService()
    runner = Runner(app_name="outside", agent=agent, session_service=sessions)
    session = await sessions.create_session(app_name="outside", user_id="ada")
    of = {"user_id": "ada", "session_id": session.id}
    for text in ("One?", "Two?"):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _event in runner.run_async(new_message=message, **of):
            pass
    stored = (await sessions.get_session(app_name="outside", **of)).events
    said = [event.content.parts for event in stored if event.author != "user" and event.content]
    errors = [event.error_message for event in stored if event.error_message]
    return {"agent": name, "streams": streams, "stored": [[shown(part) for part in parts] for parts in said], "errors": errors}


async def main(url):
    async with httpx.AsyncClient(timeout=30) as http:
        asked = [(name, streams) for name in ("helper", "drawer", "broken") for streams in (True, False)]
        print(json.dumps([await ask(url, name, streams, http) for name, streams in asked]))


asyncio.run(main(sys.argv[1]))
