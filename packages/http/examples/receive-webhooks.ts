import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, InMemoryStorage } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";

const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`;

// #region readme
import express from "express";
import { Webhook } from "standardwebhooks";

type Event = { type: string; timestamp: string; data: { runId: string; status: string } };

const webhook = new Webhook(secret);
const known = new Set<string>();
const app = express();
app.post("/hooks", express.raw({ type: "application/json" }), (request, response) => {
  try {
    // The body as it was sent: parsed JSON that is written again has another signature.
    const event = webhook.verify(request.body as Buffer, request.headers as Record<string, string>) as Event;
    // An event can come twice, always with the same id.
    const id = String(request.headers["webhook-id"]);
    if (!known.has(id)) take(event);
    known.add(id);
    response.sendStatus(204);
  } catch {
    response.sendStatus(401);
  }
});
// #endregion

function take(event: Event): void {
  received.emit("event", event);
}

const received = new EventEmitter();
const first = once(received, "event") as Promise<[Event]>;
const listener = app.listen(0, "127.0.0.1");
await once(listener, "listening");
const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;

const guide = new Agent({ name: "guide", model: new ScriptedModel("Oslo.") });
const service = createService({
  agents: { guide },
  storage: new InMemoryStorage(),
  durable: true,
  webhooks: { targets: [{ url: `http://${host}/hooks`, secrets: [secret] }], allowPrivateHosts: [host] },
});
const run = await service.begin({ agent: "guide", input: "The capital of Norway?" });
const [event] = await first;
assert.deepEqual([event.type, event.data.runId, event.data.status], ["run.completed", run.runId, "completed"]);

const forged = await fetch(`http://${host}/hooks`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{}",
});
assert.equal(forged.status, 401);

await service.close();
listener.close();
