import { rulesOf } from "../rule.ts";

/** The Socket.IO gateway. */
export const socketRules = rulesOf("@troupe/socket", {
  "socket.options": "the gateway takes agents, teams, io, namespace and authMiddleware",
  "socket.namespace": "the namespace is /service by default",
  "socket.auth": "authMiddleware(socket, next) guards connections",
  "socket.agent-run": "agent.run runs an agent by name",
  "socket.team-run": "team.run runs a team by name",
  "socket.payload": "a payload has name, input, and perhaps sessionId and apiKey",
  "socket.chunk": "agent.chunk carries text",
  "socket.tool-call": "agent.tool.call carries the tool's name and args null",
  "socket.tool-done": "agent.tool.done carries the call's id",
  "socket.done": "agent.done carries the output",
  "socket.error": "a failure is sent as agent.error with a text",
  "socket.key-payload": "the key comes from the payload first",
  "socket.key-handshake": "without it, the handshake's auth.apiKey is used",
});
