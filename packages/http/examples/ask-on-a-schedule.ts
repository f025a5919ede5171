import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { InMemoryStorage, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { Webhook } from "standardwebhooks";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`;
const booked: string[] = [];

let end: (runId: string) => void = () => undefined;
const ended = new Promise<string>((resolve) => {
  end = resolve;
});
const receiver = createServer((incoming, response) => {
  response.writeHead(204).end();
  void receive(incoming);
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;

// #region readme
const booking = new Workflow({
  name: "booking",
  initialState: { city: "Oslo" },
  steps: (flow) =>
    flow
      .ask({
        name: "answer",
        ask: ({ city }) => `May I book a room in ${city}?`,
        waitMs: 86_400_000,
        onTimeout: { value: "no" },
      })
      .choose({
        name: "decide",
        choose: ({ answer }) => (answer === "yes" ? "yes" : "no"),
        cases: {
          yes: [
            { name: "payment", waitFor: "paid" },
            { name: "book", effect: "idempotent", run: ({ city }) => void booked.push(city) },
          ],
          no: [],
        },
      }),
});

const runs = new RunService({
  workflows: { booking },
  storage,
  webhooks: { targets: [{ url: `http://${host}/hooks`, secrets: [secret] }], allowPrivateHosts: [host] },
});
await runs.serve();

const request = { kind: "workflow", name: "booking", input: { city: "Bergen" } } as const;
await runs.schedules.put({ id: "mondays", cron: "0 8 * * 1", timeZone: "Europe/Oslo", request });
await runs.schedules.put({ id: "now", at: Date.now(), request });

type Event = { type: string; data: { runId: string } };

/** Receives the webhooks. A person would answer the question in the page, and a bank would send the signal. */
async function take({ type, data: { runId } }: Event): Promise<void> {
  if (type === "run.completed") end(runId);
  if (type !== "run.waiting") return;
  for (const { id, kind } of (await runs.get(runId, "host")).waits ?? []) {
    if (kind === "question") await runs.answer(runId, id, { result: "yes" }, "host");
    if (kind === "event") await runs.signal(runId, "paid", { amount: 120 }, "host");
  }
}
// #endregion

async function receive(incoming: IncomingMessage): Promise<void> {
  const headers = incoming.headers as Record<string, string>;
  await take(new Webhook(secret).verify(await text(incoming), headers) as Event);
}

const runId = await ended;
assert.deepEqual(booked, ["Bergen"]);
const now = await runs.schedules.get("now");
assert.equal(now?.history[0]?.runId, runId);
const deliveries = await runs.webhooks.deliveries(runId, "host");
console.log(`Booked in ${booked.join()} after ${deliveries.length} webhooks, by the schedule "${now.id}".`);
await runs.close();
receiver.close();
