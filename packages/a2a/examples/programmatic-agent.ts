import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

const port = 0;

// #region readme
import { completedReply, createA2AServer, createArtifact, rejectedReply, ProgrammaticAgent } from "@troupe/a2a";
import express from "express";

const printer = new ProgrammaticAgent({
  name: "printer",
  description: "Prints posters.",
  async *answer({ message, ask }) {
    const size = await ask("Which size: A3 or A2?"); // input-required, until the next message
    if (!JSON.stringify(size.parts).includes("A3")) return rejectedReply("Only A3 is left.");
    const url = `https://example.org/posters/${message.messageId}.pdf`;
    yield createArtifact({ name: "poster", parts: [{ kind: "url", url, mediaType: "application/pdf" }] });
    return completedReply("Here it is.");
  },
});
const listener = express()
  .use(createA2AServer({ agents: { printer } }))
  .listen(port);
// #endregion

await once(listener, "listening");

async function send(text: string, taskId?: string): Promise<{ id: string; status: { state: string } }> {
  const parts = [{ kind: "text", text }];
  const message = { kind: "message", messageId: "1", role: "user", parts, ...(taskId !== undefined && { taskId }) };
  const answer = await fetch(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
  });
  return ((await answer.json()) as { result: { id: string; status: { state: string } } }).result;
}

for (const [size, state] of [
  ["A3, please", "completed"],
  ["A2", "rejected"],
] as const) {
  const task = await send("A poster");
  assert.equal(task.status.state, "input-required");
  assert.equal((await send(size, task.id)).status.state, state);
}
listener.close();
