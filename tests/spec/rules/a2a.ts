import { rulesOf } from "../rule.ts";

/** The A2A server and remote agents. */
export const a2aRules = rulesOf("@troupe/a2a", {
  "a2a.agents": "the server serves agents by name",
  "a2a.base-path": "the endpoint is at / by default",
  "a2a.provider": "the card may name its provider",
  "a2a.version": "the card's version is 1.0.0 by default",
  "a2a.card": "GET /.well-known/agent.json answers with the card",
  "a2a.json-rpc": "the endpoint speaks JSON-RPC 2.0",
  "a2a.message-send": "message/send runs and returns the completed task",
  "a2a.message-stream": "message/stream returns chunks as they come",
  "a2a.tasks-get": "tasks/get returns a task",
  "a2a.tasks-cancel": "tasks/cancel cancels a running task",
  "a2a.generate-card": "generateAgentCard makes a card without a server",
  "a2a.generate-multi-card": "generateMultiAgentCard makes a card for several agents",
  "remote.url": "a remote agent has a base URL",
  "remote.headers": "a remote agent sends its headers",
  "remote.name": "name overrides the discovered name",
  "remote.timeout": "a request may take 60000 ms by default",
  "remote.discover": "discover returns the card",
  "remote.run": "run runs the remote agent",
  "remote.stream": "stream yields its chunks",
  "remote.as-tool": "asTool makes a tool of it",
  "remote.cached-card": "getAgentCard returns the cached card",
});
