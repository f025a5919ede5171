import { rulesOf } from "../rule.ts";

/** Rules for HTTP and sockets. */
export const transportRules = [
  ...rulesOf("Registries exposed by the HTTP router", {
    "http.router": "createAgentRouter(options) builds the router",
    "http.registries": "agents, teams and workflows are served by their registered names",
    "http.middleware": "the given middleware runs on all routes of the specification",
  }),
  ...rulesOf("HTTP gateway: streams for useChat", {
    "http.ui-stream":
      "with chatStream, POST /agents/:name/ui and /teams/:name/ui take the requests of useChat and answer with the UI message stream; what is no such request is refused before anything runs",
    "http.ui-message":
      "text, thinking, calls of tools with their input, results and failures, sources, files and usage are parts of the message, each model call is a step, and every chunk is one that the SDK takes",
    "http.ui-session":
      "the session has the id of the chat and belongs to the principal; a chat sends all messages or the last one alone, and a session that is not there begins with what the page has",
    "http.ui-regenerate": "a message that is regenerated or edited replaces the turns from there on",
    "http.ui-errors":
      "a failure before the answer has its status; a later one is an error chunk, with its code in the metadata",
    "http.ui-disconnect": "a page that stops cancels its run, unless the run is to continue",
    "http.ui-resume":
      "GET /agents/:name/ui/:chatId/stream sends the message that is under way, or that waits, from its beginning to its user; 204 when there is none",
    "http.ui-stop": "POST /agents/:name/ui/:chatId/stop cancels the run of the chat; again it changes nothing",
    "http.ui-approval":
      "a call that needs an approval is asked about in the message, which goes on when it is answered; nothing of the page's message counts but the answer, and the same answer again is no error",
    "http.ui-speakers":
      "the texts of a team's members have their names, and those of a team that answers itself have none",
    "http.ui-client-tools": "the result of a tool that the page executes goes to the model, in the same message",
    "ag-ui.run": "POST /agui/agents/:name runs an agent and answers with events that both revisions of AG-UI take",
    "ag-ui.interrupts": "a run that waits ends with interrupts, and the answers continue it",
    "ag-ui.old": "a client without protocolVersion gets only what the revision 0.0.59 knows",
    "ag-ui.run-id":
      "a request with the run id of an earlier one of its thread finds that run, and none with another message",
    "ag-ui.request":
      "a request is taken as the clients of both revisions send it, and refused where it breaks the described schema",
    "ag-ui.tools": "the tools of the front end are tools of an agent's run, whose calls the front end answers",
    "ag-ui.speakers":
      "the texts of a team's members belong to their subagents, and a member that answers for the team is named",
    "ag-ui.state": "the state of a workflow is shown at its beginning, with each change, and at its end",
    "ag-ui.takeover": "what another process makes again is taken back by a snapshot of the messages",
    "ag-ui.owners": "a caller reaches the threads, runs and questions of nobody else",
    "openai-api.speakers": "a completion and a response have the team's own answer, and no text of its members",
    "openai-api.takeover":
      "where another process makes an answer anew, a response drops what is void, and a completion never has text twice",
    "openai-api.shutdown":
      "while the service ends, a request is refused and its connection closed, and answers are ended",
    "ag-ui.shutdown": "while the service ends, a request is refused and its connection closed",
    "client.resume": "a client reads the events of a run over lost connections, without a gap and without one twice",
    "client.runs": "a client runs, streams, answers and cancels, and has the refusals of the service as errors",
    "client.size": "the client has at most 6 KB and its hook 2 KB, minified and compressed",
    "client.types": "a client knows the names, inputs and outputs of its service, and wrong uses do not compile",
    "use-chat.members": "the member of a team that speaks is in the metadata of its part, also while others speak",
    "use-chat.idempotency": "a repeated request with an Idempotency-Key gets the message of its first run",
    "use-chat.sdk-6": "a page with version 6 of the SDK gets no chunk that it does not know",
    "http.ui-unanswered": "another message of the user cancels the run that waits for an answer",
    "http.ui-takeover": "what another process makes anew takes the place of what was shown of its step",
  }),
  ...rulesOf("HTTP gateway", {
    "http.agent-run": "POST /agents/:name/run answers with the output",
    "http.agent-stream": "POST /agents/:name/stream answers with server-sent events",
    "http.team-run": "POST /teams/:name/run answers with the output",
    "http.team-stream": "POST /teams/:name/stream answers with server-sent events",
    "http.workflow-run": "POST /workflows/:name/run answers with the workflow's result",
    "http.output-shape": "the response of a run has text, toolCalls, usage, structured and durationMs",
    "http.sse-frames": "each chunk is one event, a data line of JSON",
    "http.sse-finish": "a stream that completes carries a finish chunk with its reason",
    "http.key-headers": "the four key headers carry vendor keys",
    "http.keys-per-vendor":
      "one request may carry the keys of the model and of the embeddings: each vendor gets its own",
    "http.mount-prefix": "all paths are relative to the mount point, which the docs name as their server",
    "http.request-logger": "requestLogger logs requests",
    "http.request-logger-forms": "requestLogger works mounted as it is and called with options",
    "http.error-handler-forms": "errorHandler works mounted as it is and called with options",
    "http.health-first": "/health and /ready are answered before the given middleware",
    "http.early-head":
      "the head of a stream comes with its first chunk, after a second, or at once with early=1; what fails later is an event",
    "http.early-hints": "early=1 on a run sends its ids in a 103, and leaves the answer and its status as they are",
    "http.disconnect-query": "?onDisconnect=cancel cancels the run of one request when its client disconnects",
    "http.error-usage": "the error of a failed run has the run's id and, if it was billed, its usage, also as an event",
    "http.ready-writes":
      "/ready answers 503 when a storage takes no small record, which is written at most once in five seconds",
    "http.shutdown-drain":
      "in a shutdown the listener stays open for drainMs, or until no request is left: /ready and new runs get 503 with Connection: close and Retry-After",
    "http.shutdown-no-reset": "no client that has sent a request is reset by a shutdown within its grace period",
    "http.other-sites":
      "what a browser sends from another site's page without a preflight is forbidden; what needs one is the host's CORS to decide",
    "http.allowed-origins": "pages of the origins in allowedOrigins may send such requests",
    "http.allowed-hosts":
      "with allowedHosts, requests to any other host are forbidden, by the target or the header Host",
    "http.openapi-version": "the spec is OpenAPI 3.0.3",
    "http.openapi-generated": "the spec has paths and schemas of what is registered",
    "http.openapi-examples": "the examples of bodies in the spec run as they stand, without a key, a user or a session",
    "http.openapi-security": "the spec declares the four key headers",
    "http.openapi-code": "generateOpenAPISpec(options, docs?) returns the same spec",
  }),
  ...rulesOf("Run request body", {
    "http.body-input": "input is required: a string or an array of parts",
    "http.body-session": "sessionId may name the session",
    "http.body-user": "userId may name the user",
    "http.body-api-key": "apiKey may carry a vendor key",
    "http.run-options":
      "runOptions(request) gives a run its metadata, limits and model options, which the client cannot change",
    "http.run-options-error": "an error of runOptions is the answer, and wrong options are a fault of the service",
    "http.json-size": "a JSON body may have 1 MB of text, and with fileUpload data of parts up to maxTotalSize",
    "http.body-limit": "maxBodyBytes limits every JSON body",
    "http.body-null": "a field of the body that is null counts as missing",
  }),
  ...rulesOf("FileUploadOptions", {
    "http.upload-switch": "fileUpload enables multipart, as a boolean or with options",
    "http.upload-fields": "the form fields input and files supply the input",
    "http.upload-max-size": "a file may have 52428800 bytes by default",
    "http.upload-max-files": "an upload may have 10 files by default",
    "http.upload-mime-types": "allowedMimeTypes limits the types; any type by default",
    "http.turns-bytes": "a page of turns has at most 8 MB, and tells that there are more turns",
    "http.turns-references": "the data of parts is left out of a page of turns, with a reference in its place",
    "http.turns-inline": "?parts=inline puts the data of parts into a page of turns as far as it fits",
    "http.turn-part":
      "GET /sessions/:id/turns/:seq/parts/:index sends the bytes of a part as a download, to its owner alone",
    "http.form-parts": "a part of a form that cannot be read is refused and never left out",
    "http.upload-sniffed": "a file without a type gets that of its first bytes, else application/octet-stream",
    "http.json-data-limits": "data in a JSON body obeys maxFileSize and allowedMimeTypes",
    "http.form-read-before":
      "a form that a middleware has read before the router is an error that tells how to mend it",
    "http.upload-middleware": "createFileUploadMiddleware(options?) builds the upload handler",
    "http.multi-modal-input": "buildMultiModalInput returns a string for text alone, and parts for text with files",
    "http.multer-files": "buildMultiModalInput takes the files of multer",
    "http.input-parts": "buildMultiModalInput takes parts as the input of the body",
  }),
  ...rulesOf("DocsOptions", {
    "http.docs-switch": "the docs are served when enabled",
    "http.docs-spec-switch": "the spec is served only when the docs are enabled",
    "http.docs-title": "the docs are titled Service API by default",
    "http.docs-description": "the docs may have a description; none by default",
    "http.docs-version": "info.version is 1.0.0 by default, else the docs' version option",
    "http.docs-route-prefix": "routePrefix is put before the paths",
    "http.docs-servers": "the spec may list servers",
    "http.docs-path": "the docs are at /docs by default",
    "http.docs-spec-path": "the spec is at /docs/spec.json by default",
    "http.docs-stream": "the docs show the events of a stream as they come",
    "http.docs-questions":
      "the question that the docs propose is the host's for the agent or team, else one that every agent can answer; one for an unknown name is refused",
    "http.docs-security":
      "the host's security schemes are ways to sign in that the docs offer: each operation but the probes names them, beside the keys",
    "http.docs-keys": "a key entered in the docs is sent with each request",
  }),
  ...rulesOf("Every transport (the suite transportCases)", {
    "transport.public-output": "the output of a run comes without its messages, and with the ids of the run",
    "transport.declared-fields": "clients are sent declared fields of outputs and chunks alone",
    "transport.event-order": "text, tool call, tool result and text are sent in the order in which they happen",
    "transport.one-end": "each run ends for its client with exactly one event, the last one",
    "transport.hidden-failure": "nothing that a vendor, a tool or the host said of a failure is sent",
    "transport.unknown-names": "agents and teams are found by their registered names alone, and others are not_found",
    "transport.wrong-fields": "a field of the wrong shape is refused by its name, before anything runs",
    "transport.unknown-fields": "a field that has no effect is refused",
    "transport.input": "parts of content and earlier messages are handed to the run",
    "transport.runs-apart": "the events of runs that one client has at once are kept apart",
    "transport.keys": "a key reaches the vendor of its run, and no event, error or log line",
    "transport.new-session": "a client that names no session gets a new one, whose id it is told",
    "transport.session-owner": "users, tenants and nobody have sessions of their own",
    "transport.user-claim":
      "a userId that is not the principal is forbidden, and one without a principal has a space of its own",
    "transport.disconnect": "a client that disconnects ends its runs at the vendor, and nobody else's",
    "transport.continue": "with onDisconnect continue, a run goes on without its client and its turn is stored",
    "transport.cancel": "a run is cancelled by its id, by its own user alone",
    "transport.stored-disconnect": "a durable run goes on without its client, and the next one is shown its events",
    "transport.stored-attach":
      "the events of a stored run are shown from the beginning, and behind each of them without a gap",
    "transport.stored-wait": "a client is told of a question of a waiting run, and may answer it",
    "transport.stored-owner": "a stored run is shown to its own user alone",
  }),
  ...rulesOf("Socket gateway", {
    "socket.options":
      "the gateway takes agents, teams, io, namespace and authMiddleware, and refuses wrong and unknown options",
    "socket.namespace": "the namespace is /service by default",
    "socket.auth": "authMiddleware(socket, next) guards connections",
    "socket.auth-failure":
      "an authMiddleware that throws, rejects, decides twice or never ends refuses one connection and harms nothing else",
    "socket.agent-run": "agent.run runs an agent by name",
    "socket.team-run": "team.run runs a team by name",
    "socket.payload": "a payload has name, input, and perhaps sessionId and apiKey",
    "socket.wrong-payload": "a payload of a wrong shape gets agent.error, and its socket goes on",
    "socket.own-names": "names that are not registered, such as __proto__, are not found",
    "socket.acknowledge": "a request is acknowledged with the ids of its run, or with the error",
    "socket.principal":
      "the user is socket.data.principal, read at each event; a userId without it is unverified, one beside it must be the same",
    "socket.new-session": "without a sessionId a run has a new session, never one that the agent configures",
    "socket.no-key-leaks": "a key is in no event, error or line of the log",
    "socket.origins":
      "a gateway refuses connections from pages of other sites, unless allowedOrigins or the server's cors allows them, and to hosts that allowedHosts does not list",
    "socket.disconnect": "a socket that disconnects aborts its runs, those whose request is still read too",
    "socket.disconnect-continue": 'with onDisconnect "continue" a run outlives its socket, and others may attach to it',
    "socket.run-limit": "a socket may have 8 runs at once by default, else maxRunsPerSocket",
    "socket.cancel": "agent.cancel ends a run of the caller's as cancelled",
    "socket.recovery":
      "with connectionStateRecovery the runs of a socket go on over a short break, and their events reach the socket that is back",
    "socket.wait": "agent.wait tells the question that a durable run waits for",
    "socket.answer": "agent.answer answers it, for the run's own user or one whom mayAnswer allows",
    "socket.attach":
      "agent.attach sends the events of a stored run from its beginning or behind a position, to its user alone",
    "socket.attach-once": "a socket that attaches to a run that it follows gets each event once",
    "socket.idempotency":
      "a request with the idempotencyKey of an earlier one is the same run, which outlives its socket",
    "socket.drain":
      "a shutdown refuses new runs, lets those under way end, and closes each connection when its last run is over",
  }),
  ...rulesOf("Socket server-to-client events", {
    "socket.chunk": "agent.chunk carries a piece of text",
    "socket.tool-call": "agent.tool.call carries the tool's name and args null",
    "socket.tool-result": "agent.tool.result carries what a tool answered, before agent.tool.done",
    "socket.tool-done": "agent.tool.done carries the call's id",
    "socket.done": "agent.done carries the output",
    "socket.error": "a failure is sent as agent.error with a string",
    "socket.run-ids": "each event of a run carries its runId, name and sessionId",
    "socket.declared-fields": "events carry the fields that are declared, and no others that a runnable adds",
  }),
  ...rulesOf("Socket gateway", {
    "socket.any-payload":
      "whatever a client sends, as events or as raw frames, is answered by an error or a run, and harms nobody else",
    "socket.backpressure":
      "a client that stops reading, or polls no more, stops its vendors' streams, with one run or eight",
    "socket.stopped-reader":
      "a client that reads nothing for 30 seconds, or lets more than maxBufferedBytes wait, is dropped with a warning",
    "socket.silent-client":
      "a client that is frozen or killed ends its runs within pingInterval, pingTimeout and a second",
    "socket.several-nodes":
      "behind the adapters for Redis streams and PostgreSQL each node runs for its own sockets, and publishes nothing of a run",
    "socket.page": "a page in a browser chats, and shows tool calls and their results as they happen",
    "socket.recovery-nodes":
      "with connection state recovery behind Redis streams, a run reaches its socket that came back at another node without a gap",
  }),
];
