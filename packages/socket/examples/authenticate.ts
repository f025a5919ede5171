import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";

const users: Record<string, string> = { "token-of-ada": "ada", "token-of-bob": "bob" };
const userOfToken = async (token: unknown) => await Promise.resolve(users[String(token)]);
const model = new ScriptedModel().respond(({ messages }) => `You have said ${(messages.length + 1) / 2} things.`);
const helper = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
const server = createServer().listen(0, "127.0.0.1");
const io = new Server(server);

// #region readme
const gateway = createAgentGateway({
  io,
  agents: { helper },
  authMiddleware: async (socket, next) => {
    const userId = await userOfToken(socket.handshake.auth["token"]);
    if (userId === undefined) return next(new Error("Sign in first."));
    Object.assign(socket.data, { principal: { userId } });
    next();
  },
  runOptions: ({ remoteAddress }) => ({ metadata: { address: remoteAddress } }),
});
// #endregion

await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function ask(token: string): Promise<string> {
  const socket = connect(`${url}/service`, { auth: { token }, forceNew: true });
  const done = new Promise<string>((resolve) => {
    socket.once("agent.done", ({ output }: { output: { text: string } }) => resolve(output.text));
    socket.once("connect_error", (error) => resolve(error.message));
  });
  socket.emit("agent.run", { name: "helper", input: "Hello", sessionId: "s1" });
  return await done.finally(() => socket.disconnect());
}

assert.equal(await ask("token-of-ada"), "You have said 1 things.");
assert.equal(await ask("token-of-ada"), "You have said 2 things.");
assert.equal(await ask("token-of-bob"), "You have said 1 things.");
assert.equal(await ask("token-of-eve"), "Sign in first.");
await gateway.close();
await io.close();
