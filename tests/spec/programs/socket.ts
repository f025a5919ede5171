// Socket gateway: its configuration, agent.run and team.run, the events that answer them, keys of callers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, defineTool, Team } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";
import type { Socket } from "socket.io-client";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }).respond(
  () => "Take an umbrella.",
);
const helper = new Agent({ name: "helper", model, tools: [weather] });
const crew = new Team({
  name: "crew",
  mode: "coordinate",
  model: new ScriptedModel().respond(() => "The crew says: an umbrella."),
  members: [helper],
});

const keys: (string | undefined)[] = [];
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const noting: ModelProvider = {
  providerId: "any",
  modelId: "any",
  generate: async () => ({ text: "Hi.", toolCalls: [], usage, finishReason: "stop" }),
  async *stream(_messages, options) {
    keys.push(options?.apiKey);
    yield { type: "text", text: "Hi." };
    yield { type: "finish", finishReason: "stop", usage };
  },
};
const keyed = new Agent({ name: "keyed", model: noting });
const broken = new Agent({
  name: "broken",
  model: new ScriptedModel().respond(() => ({ error: new Error("secret detail") })),
  logLevel: "silent",
});

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const io = new Server(server);
createAgentGateway({
  io,
  agents: { helper, keyed, broken },
  teams: { crew },
  logger: createLogger({ level: "silent" }),
});
createAgentGateway({
  io,
  agents: { helper },
  namespace: "/guarded",
  authMiddleware: (socket, next) => next(socket.handshake.auth["token"] === "open" ? undefined : new Error("Sign in.")),
});

type Received = { name: string; payload: Record<string, unknown> };

/** Emits an event, and returns the events up to the end of the run. */
async function run(socket: Socket, event: string, payload: object): Promise<Received[]> {
  const received: Received[] = [];
  return await new Promise((resolve) => {
    const take = (name: string, sent: Record<string, unknown>): void => {
      received.push({ name, payload: sent });
      if (name !== "agent.done" && name !== "agent.error") return;
      socket.offAny(take);
      resolve(received);
    };
    socket.onAny(take);
    socket.emit(event, payload);
  });
}

const textOf = (events: Received[]): string =>
  events.map(({ name, payload }) => (name === "agent.chunk" ? String(payload["chunk"]) : "")).join("");
const payloadOf = (events: Received[], wanted: string) => events.find(({ name }) => name === wanted)?.payload;
const outputTextOf = (events: Received[]) =>
  (payloadOf(events, "agent.done") as { output: { text: string } } | undefined)?.output.text;

// The namespace is "/service" by default. A run is answered by chunks, by its tool calls and by its end.
const socket = connect(`${url}/service`, { auth: { apiKey: "sk-handshake" } });
const events = await run(socket, "agent.run", { name: "helper", input: "Oslo?", sessionId: "s-1" });
assert.equal(textOf(events), "Take an umbrella.");
const call = payloadOf(events, "agent.tool.call");
assert.equal(call?.["toolName"], "weather");
assert.equal(call?.["args"], null);
assert.equal(typeof payloadOf(events, "agent.tool.done")?.["toolCallId"], "string");
const order = events.map(({ name }) => name);
assert.ok(order.indexOf("agent.tool.call") < order.indexOf("agent.tool.done"));
assert.equal(outputTextOf(events), "Take an umbrella.");

const team = await run(socket, "team.run", { name: "crew", input: "Oslo?" });
assert.equal(outputTextOf(team), "The crew says: an umbrella.");

// The key of the payload comes before that of the handshake.
await run(socket, "agent.run", { name: "keyed", input: "Hi", apiKey: "sk-payload" });
await run(socket, "agent.run", { name: "keyed", input: "Hi" });
assert.deepEqual(keys, ["sk-payload", "sk-handshake"]);

// A failure during a run is an event with a sentence, as is an unknown name.
for (const name of ["broken", "nobody"]) {
  const error = payloadOf(await run(socket, "agent.run", { name, input: "Hi" }), "agent.error")?.["error"];
  assert.equal(typeof error, "string", name);
  assert.doesNotMatch(String(error), /secret detail/);
}

// authMiddleware lets connections in, or refuses them.
const refused = connect(`${url}/guarded`, { forceNew: true, reconnection: false });
assert.equal((await new Promise<Error>((resolve) => refused.once("connect_error", resolve))).message, "Sign in.");
const admitted = connect(`${url}/guarded`, { forceNew: true, auth: { token: "open" } });
assert.equal(textOf(await run(admitted, "agent.run", { name: "helper", input: "Oslo?" })), "Take an umbrella.");

for (const each of [socket, refused, admitted]) each.disconnect();
await io.close();
