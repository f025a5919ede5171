import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedModel } from "@troupe/core/testing";
import { FakeSlack } from "./offline/fake-slack.ts";
// #region readme
import { createHmac, timingSafeEqual } from "node:crypto";
import { Agent, Workflow } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";
// #endregion

/** A request of Slack: an event, or the challenge by which it checks an address. */
type SlackRequest = { type: string; challenge?: string; event_id?: string; event?: Mention };
type Mention = { type: string; text: string; channel: string; ts: string; thread_ts?: string };

const slack = await FakeSlack.start();
const { url: slackUrl, signingSecret, token } = slack;
const folder = mkdtempSync(join(tmpdir(), "troupe-slack-"));
const file = join(folder, "slack.db");
const port = Number(process.env["PORT"] ?? 0);
const model = new ScriptedModel("Take an umbrella.").respond(({ messages }) => `${messages.length} messages.`);

// #region readme
const storage = new SqliteStorage(file);
const helper = new Agent({ name: "helper", model, storage });
const reply = new Workflow({
  name: "reply",
  initialState: { text: "", channel: "", thread: "", answer: "" },
  steps: [
    {
      name: "answer",
      effect: "idempotent", // both steps are repeated after a crash: a second reply is better than none
      run: async ({ text, channel, thread }, context) => {
        const { text: answer } = await helper.run(text, { parent: context, sessionId: `${channel}-${thread}` });
        return { answer: answer ?? "" };
      },
    },
    {
      name: "post",
      effect: "idempotent",
      run: async ({ channel, thread, answer }, { signal }) => {
        const response = await fetch(`${slackUrl}/api/chat.postMessage`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" },
          body: JSON.stringify({ channel, thread_ts: thread, text: answer }),
          signal,
        });
        const { ok, error } = (await response.json()) as { ok: boolean; error?: string };
        if (!ok) throw new Error(`Slack refused the reply: ${error}.`);
      },
    },
  ],
});
const service = createService({ workflows: { reply }, storage, durable: true });
await service.open();

function isFromSlack(body: Buffer, headers: express.Request["headers"]): boolean {
  const time = String(headers["x-slack-request-timestamp"]);
  const hash = createHmac("sha256", signingSecret).update(`v0:${time}:`).update(body).digest("hex");
  const [expected, given] = [Buffer.from(`v0=${hash}`), Buffer.from(String(headers["x-slack-signature"]))];
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= 300;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}

const app = express();
app.post("/slack/events", express.raw({ type: () => true, limit: "1mb" }), async ({ body, headers }, response) => {
  if (!Buffer.isBuffer(body) || !isFromSlack(body, headers)) return response.sendStatus(401);
  const { challenge, event, event_id: idempotencyKey = "" } = JSON.parse(body.toString()) as SlackRequest;
  if (challenge !== undefined) return response.type("text").send(challenge);
  if (event?.type === "app_mention") {
    const input = { text: event.text, channel: event.channel, thread: event.thread_ts ?? event.ts };
    await service.begin({ workflow: "reply", input, idempotencyKey }); // stored, and performed after the answer
  }
  return response.sendStatus(200);
});
const server = app.listen(port);
// #endregion

await once(server, "listening");
const bot = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
const mention = (id: string, event: object) => {
  return { type: "event_callback", event_id: id, event: { type: "app_mention", channel: "C1", ...event } };
};

const challenge = await slack.send(bot, { type: "url_verification", challenge: "3eZbrw1a" });
assert.equal(await challenge.text(), "3eZbrw1a");

const first = mention("Ev1", { text: "<@U1> Oslo — über Nacht?", ts: "1.1" });
assert.equal((await slack.send(bot, first)).status, 200);
assert.equal((await slack.send(bot, first)).status, 200); // Slack repeats what was not answered in time
await slack.untilPosted(1);
await slack.send(bot, mention("Ev2", { text: "<@U1> And Bergen?", ts: "1.2", thread_ts: "1.1" }));
await slack.untilPosted(2);
assert.deepEqual(slack.posted, [
  { channel: "C1", thread_ts: "1.1", text: "Take an umbrella." },
  { channel: "C1", thread_ts: "1.1", text: "3 messages." },
]);

assert.equal((await slack.send(bot, first, { secret: "another" })).status, 401);
assert.equal((await slack.send(bot, first, { ageSeconds: 301 })).status, 401);
assert.equal((await fetch(bot, { method: "POST", body: "{}" })).status, 401);
assert.equal(slack.posted.length, 2);
for (const { text } of slack.posted) console.log(text);

await service.close();
await storage.close();
server.close();
slack.close();
rmSync(folder, { recursive: true });
