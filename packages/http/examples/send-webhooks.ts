import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Agent, InMemoryStorage } from "@troupe/core";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const reporter = new Agent({ name: "reporter", model: new ScriptedModel("All orders are shipped.") });
const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`;
const received = new EventEmitter();
const receiver = createServer((request, response) => {
  response.writeHead(204).end();
  void text(request).then((body) => received.emit("event", JSON.parse(body)));
}).listen(0, "127.0.0.1");
const first = once(received, "event") as Promise<[{ type: string; data: { runId: string } }]>;
await once(receiver, "listening");
const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const port = 0;

// #region readme
const service = createService({
  agents: { reporter },
  storage,
  durable: true,
  webhooks: {
    targets: [{ url: `http://${host}/hooks`, secrets: [secret], events: ["run.completed", "run.failed"] }],
    // Only for a receiver on this machine or in your network. Others need https and nothing here.
    allowPrivateHosts: [host],
  },
});
const { url } = await serve(service, [http()], { port });
closeOnSignals(service);
// #endregion

const accepted = await fetch(`${url}/agents/reporter/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "Report on yesterday's orders." }),
});
const runId = accepted.headers.get("x-run-id");
const [event] = await first;
assert.deepEqual([event.type, event.data.runId], ["run.completed", runId]);

const list = async () =>
  (await (await fetch(`${url}/runs/${runId}/deliveries`)).json()) as { deliveries: { status: string }[] };
let { deliveries } = await list();
while (deliveries[0]?.status === "pending") ({ deliveries } = await list());
assert.deepEqual(
  deliveries.map(({ status }) => status),
  ["delivered"],
);

await service.close();
receiver.close();
