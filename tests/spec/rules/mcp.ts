import { rulesOf } from "../rule.ts";

/** Rules for MCP: tools of its servers, and agents as tools for its clients. */
export const mcpRules = [
  ...rulesOf("Tool-server client (MCP) configuration", {
    "mcp.name": "a server's name is put before its tools' names, which are legal, unique and mapped back",
    "mcp.stdio": "stdio spawns a command with arguments and environment",
    "mcp.environment": "a server's process starts without a shell, and gets PATH, HOME and the given variables alone",
    "mcp.http": "http connects to a URL with headers",
    "mcp.connect": "connect opens the connection, and so does the first use",
    "mcp.get-tools": "getTools lists the tools of all pages, with their JSON Schema",
    "mcp.refresh": "refresh lists the tools again",
    "mcp.close": "close ends the connection, and an agent closes its servers",
    "mcp.list-bounds":
      "a list of tools beyond maxTools, maxSchemaBytes or maxDescriptionBytes is refused, and never cut",
    "mcp.output-schema": "structured content that does not fit the tool's own output schema is an error",
    "mcp.nonsense": "a program that prints no JSON-RPC fails at once, and is remembered",
    "mcp.hostile": "a server that misbehaves holds up nobody else, and fails with an error that names it and the cause",
    "mcp.effect":
      "a tool is once, unless the host trusts the annotations: then readOnlyHint makes it pure and idempotentHint idempotent",
    "mcp.filter": "tools.allow and tools.deny choose tools by the server's own names",
    "mcp.list-changed": "tools that change are changed for the next run, and not within a run",
    "mcp.progress": "progress of a call is reported to the run",
    "mcp.errors": "a tool that fails is an error for the model, with the server's text and without secrets",
    "mcp.timeout": "a call ends at timeoutMs, and when the run is aborted",
    "mcp.bounded":
      "what a tool returns is bounded by maxOutputBytes, its artifacts by maxArtifactBytes, and a message by maxMessageBytes",
    "mcp.options": "an option that has no effect, or a wrong one, is refused at construction, without its value",
    "mcp.down": "a server that is down costs a run its tools and one warning; tools that were known stay",
    "mcp.backoff": "after a failure to connect, further attempts fail at once until a growing time is over",
    "mcp.reconnect":
      "a server that dies or breaks the connection fails the call with a clear error, and the next one connects again; a forgotten session is opened again",
    "mcp.logger": "what a server writes to its standard error stream goes to the logger",
    "mcp.secrets": "credentials are in no error, event or log, whatever the server repeats",
    "mcp.protocol": "the stateless revision of 2026-07-28 and the earlier ones are spoken, as protocol says",
    "mcp.resources": "resources lists resources, and readResource reads one as content parts for a run",
    "mcp.prompts": "prompts lists prompts, and getPrompt returns the messages of one",
    "mcp.elicitation":
      "a server's question to the user goes to onElicitation, and is refused as the protocol says without it",
    "mcp.roots": "a server that asks for roots is refused as the protocol says: the client declares none",
    "mcp.users": "each set of headers has connections and tools of its own, at most maxConnections, closed when idle",
  }),
  ...rulesOf("Server for MCP clients", {
    "mcp-server.tools": "each agent and team is a tool ask_<name>, each workflow run_<name>, with schemas",
    "mcp-server.result":
      "a result has the text, and as structured content text, structured, sessionId, runId and usage",
    "mcp-server.session": "a call with the sessionId of an earlier one continues its conversation",
    "mcp-server.principal": "the sessions of a user that the host has authenticated are that user's alone",
    "mcp-server.errors": "a run that fails is a result marked as an error, with the public message alone",
    "mcp-server.options": "an option that has no effect, or a wrong one, is refused at construction",
    "mcp-server.http": "clients of the revision of 2026-07-28 and of earlier ones are served at one URL",
    "mcp-server.stdio": "clients of the revision of 2026-07-28 and of earlier ones are served over stdio",
    "mcp-server.stdout": "over stdio nothing but the protocol is written to the standard output",
    "mcp-server.progress": "a client that asks for progress gets the text while it grows, at most four times a second",
    "mcp-server.cancel": "a cancelled call, a dropped connection and the end of the server abort the run",
    "mcp-server.keys": "the key headers of a request count for that request alone, and are shown nowhere",
    "mcp-server.source": "a host that is not in allowedHosts, and a page of another site, get 403",
    "mcp-server.body": "a message longer than maxBodyBytes is refused",
    "mcp-server.media":
      "images, audio and files of a run's tools are blocks of its result, each once and up to maxMediaBytes in all",
    "mcp-server.run-options": "runOptions gives a run the host's options of its request",
    "mcp-server.warnings": "the logger gets the warnings of what is served, until the server is closed",
    "mcp-server.shutdown":
      "the end of the service refuses new calls, waits for those that run, and ends them when their time is over",
    "mcp-server.web": "MCP is spoken on web-standard servers as on Node, to clients of every revision",
    "mcp-server.forms": "createMcpServer answers as mcp does over a service of the same options, byte for byte",
    "mcp-server.durable-calls":
      "a call of what is durable has the result of a plain one, ends with its client, and does not wait for an answer",
    "mcp-server.extend": "extend adds tools, prompts, resources and handlers of the host, for each server that is made",
    "mcp-server.ask": "a tool of the host can ask the client, which answers in either revision",
    "mcp-server.sessions":
      "with extend, sessions of earlier revisions are kept up to maxSessions and for half an hour without use, each for its own user",
    "mcp-server.notify": "notify tells the clients that want to know what has changed, of either revision",
    "mcp-server.tasks":
      "a call can be a task: the client gets it at once, and its result, that of a plain call, by its id",
    "mcp-server.task-revisions":
      "tasks are served as revision 2025-11-25 and the extension of 2026-07-28 have them, to clients that know them alone",
    "mcp-server.task-survives":
      "a task goes on when its client has gone, and in a durable service also after a restart of the process",
    "mcp-server.task-owner":
      "a task is its user's alone, who can list it; without a user it is reached by its id, and not listed",
    "mcp-server.task-cancel": "a cancel of a task reaches the model",
    "mcp-server.task-input":
      "a run that waits is a task that needs input, which a client that can ask its user answers, and others are told of",
    "mcp-server.task-status": "clients of 2025-11-25 with a connection that is kept hear of each change of a task",
    "mcp-server.task-ttl": "a task is removed after its ttl, whatever it does",
    "mcp-server.task-bounds":
      "open tasks in memory are within the service's bounds of open runs, and those that are over leave nothing behind",
    "mcp-server.call-tool": "a tool of the host can call a tool of the server, as a task where the client takes one",
    "mcp-server.state": "a state of sealState that was changed, or comes from another user, is refused",
  }),
];
