import { rulesOf } from "../rule.ts";

/** Rules for tasks of the A2A server: runs of a `RunService`, seen through the protocol. */
export const a2aTaskRules = [
  ...rulesOf("A2A server", {
    "a2a.agents": "the server serves agents by name",
    "a2a.base-path": "the endpoint is at / by default",
    "a2a.provider": "the agent card may name its provider",
    "a2a.version": "the agent card's version is 1.0.0 by default",
    "a2a.card": "GET /.well-known/agent.json answers with the agent card",
    "a2a.json-rpc": "the endpoint speaks JSON-RPC 2.0",
    "a2a.message-stream": "message/stream returns chunks as they are generated",
    "a2a.tasks-get": "tasks/get returns a task",
    "a2a.message-send": "message/send runs and returns the completed task",
    "a2a.tasks-cancel": "tasks/cancel cancels a running task",
    "a2a.generate-card": "generateAgentCard makes a card without a server",
    "a2a.generate-multi-card": "generateMultiAgentCard makes a card for several agents",
  }),
  ...rulesOf("A2A server: tasks", {
    "a2a.context-is-session":
      "the contextId of a task is the session of its run: the next message in it is its next turn",
    "a2a.returns-at-once": "a client that does not wait gets its task at once, which goes on without it",
    "a2a.artifacts":
      "the answer of a run is the artifact named response, with its structured value as data; what tools made is an artifact each",
    "a2a.rejected": "a run that a guardrail blocked is a rejected task, which shows nothing of the answer",
    "a2a.agent-rejects": "an agent can reject a task for a reason that the client is told, by a tool or a program",
    "a2a.agent-messages":
      "an agent can answer by a message in place of a task, where its client does not know the task yet",
    "a2a.agent-asks":
      "an agent can end its turn in input-required with a question of its own: the next message to the task is the answer, which it sees whole",
    "a2a.agent-artifacts":
      "an agent can make artifacts of text, files, addresses and data, whole or in pieces, shown at once",
    "a2a.agent-sees-message": "the id, the metadata and the extensions of a message are at metadata.a2a of its run",
    "a2a.agent-program": "an agent can be a program, which every protocol serves and every caller can run",
    "a2a.agent-restart": "what an agent has said of its task is the same after a restart",
    "a2a.failed": "a failed run is a failed task with the message that HTTP would tell, and nothing that a vendor said",
    "a2a.wrong-messages":
      "a message for an unknown agent, an unknown task, one that is over or of another context is an error, and begins nothing",
    "a2a.input-required":
      "a wait for an approval or an input makes a task input-required, with the questions as text and data; the next message to it answers",
    "a2a.history": "a task has the messages of both sides in the order of time, as many of the last as a client wants",
    "a2a.same-events": "all who follow a task get the same events in the same order, whatever one of them does",
    "a2a.resubscribe": "a client that leaves a stream ends nothing, and can follow its task again to the end",
    "a2a.shutdown":
      "a shutdown lets tasks of the process end within its grace period, and hands durable ones back, whose streams end as interrupted",
    "a2a.closing":
      "the last update of an artifact on a stream has all of it, so that clients that keep that one alone have the answer, and ours streams none of it twice",
    "a2a.stopped-reader":
      "a reader that stops reading holds up no task and fills no memory: what it has missed it gets whole at the end",
    "a2a.restart": "tasks of a durable service are there after a restart, and can be followed and answered",
    "a2a.owners": "a task and a context are their user's: for any other caller they do not exist",
    "a2a.list-tasks": "ListTasks lists the caller's tasks by the time of their status, in pages, as its parameters ask",
    "a2a.sdk-clients":
      "the official clients 0.2.5, 0.3.14 and 1.3.0 send, stream, get, cancel and resubscribe; the last one lists, gets the extended card and sets push configs, and does all over HTTP+JSON too",
    "a2a.limits": "a request that is longer than maxBodyBytes is refused before it is read",
    "a2a.sources": "requests for other hosts, and of pages of other sites, are forbidden",
    "a2a.keys": "a key of a header reaches the vendor of its agent, and no task, error or log",
    "a2a.several-agents":
      "a message goes to the agent of its path, its tenant, or the metadata of the message or the call, else to the first",
    "a2a.extended-card":
      "a client with a principal gets the card that extendedCard returns for its request, over both bindings; cards declare it only with that option",
    "a2a.rest":
      "HTTP+JSON of 1.0 is below rest at the endpoint and at that of each agent, with the agents, guards and middleware of JSON-RPC",
    "a2a.kit-agent":
      "the agent for conformance kits does what each beginning of a message's id asks for, from public entry points alone, and is started by a command with switches",
    "a2a.any-rest-request":
      "any request of HTTP+JSON is answered, a wrong one with the right status and a google.rpc.Status, and the server goes on",
    "a2a.push-configs-0":
      "a client of 0.x sets, gets, lists and deletes the push configs of a task; one without an id is the default",
    "a2a.push-configs-1":
      "a client of 1.0 creates, gets, lists and deletes the push configs of a task, over both bindings, and gets no secret back",
    "a2a.push-owners": "the push configs of a task are its user's: for any other caller there is no task",
    "a2a.push-checks":
      "a push config has a public https address, secrets that are headers, and a task at most ten of them",
    "a2a.push-guarded":
      "no connection is made to a private address, whatever its spelling, name or redirect, for a push config or the card of a remote agent",
    "a2a.push-sdk-clients":
      "the official clients of 0.2.5, 0.3 and 1.0 set push configs, and their receivers are notified",
    "a2a.push-shutdown":
      "a shutdown waits for the notifications of tasks in memory, and hands those of durable ones back",
    "a2a.push-killed": "notifications go on after their process was killed, and none is lost",
    "a2a.push-sealed": "addresses and tokens of receivers are sealed in a lasting storage, or none are taken",
    "a2a.push-body-0": "a receiver that a client of 0.x has named gets the whole task, whenever its state changes",
    "a2a.push-body-1": "a receiver that a client of 1.0 has named gets the events of the task as a stream has them",
    "a2a.push-headers": "a notification has the token and the credentials of its config",
    "a2a.push-signed": "a notification is signed with its body, address and time, by a key that the server tells",
    "a2a.push-retried": "a notification is sent again, the same one, until its receiver has it, and none overtakes it",
    "a2a.push-given-up":
      "a notification that a receiver refuses, or fails at too often, is logged without secrets and left out",
    "a2a.push-ends": "a receiver that answers 410, or whose config is deleted or replaced, gets no more notifications",
    "a2a.push-apart": "a receiver that never answers holds up neither the run nor other receivers",
    "a2a.push-restart": "notifications go on in another process, behind the last one that was acknowledged",
    "a2a.any-call": "any body is answered as a call or as an error with the right code, and the server goes on",
    "a2a.terminal-is-final": "a task that is over takes no message and no cancel, and never changes",
  }),
];
