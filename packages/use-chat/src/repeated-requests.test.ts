import { expect, it } from "vitest";
import { desk, scripted } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";

const message = (text: string) => ({ id: "u1", role: "user", parts: [{ type: "text", text }] });
const headers = { "Idempotency-Key": "k1" };

it("the chat transport answers a repeated request with the message of its first run [use-chat.idempotency]", async () => {
  const { agent, model } = scripted("Hello.", "Again.");
  const service = await serve({ agents: { a: agent } });
  const body = { id: "c1", messages: [message("Hi.")] };

  const first = await service.post("/agents/a/ui", body, headers);
  const again = await service.post("/agents/a/ui", body, headers);

  expect([first.status, again.status, model.calls.length]).toEqual([200, 200, 1]);
  expect(again.text).toBe(first.text);
  expect(again.headers.get("x-run-id")).toBe(first.headers.get("x-run-id"));
});

it("the chat transport answers it also if the page has sent earlier messages, which only a new session takes [use-chat.idempotency]", async () => {
  const { agent, model } = scripted("Hello.");
  const service = await serve({ agents: { a: agent } });
  const before = [message("One?"), { id: "m0", role: "assistant", parts: [{ type: "text", text: "One." }] }];
  const body = { id: "c1", messages: [...before, { ...message("Two?"), id: "u2" }] };

  await service.post("/agents/a/ui", body, headers);
  expect((await service.post("/agents/a/ui", body, headers)).status).toBe(200);
  expect(model.calls).toHaveLength(1);
});

it("the chat transport refuses another request with the same key [use-chat.idempotency]", async () => {
  const { agent } = scripted("Hello.");
  const service = await serve({ agents: { a: agent } });
  await service.post("/agents/a/ui", { id: "c1", message: message("Hi.") }, headers);

  const refused = await service.post("/agents/a/ui", { id: "c1", message: message("Ho.") }, headers);
  expect([refused.status, refused.json]).toMatchObject([422, { error: { code: "idempotency_mismatch" } }]);
  // No run has the ids that were drawn for it.
  expect(["x-run-id", "x-session-id"].map((name) => refused.headers.get(name))).toEqual([null, null]);
});

it("the chat transport refuses a key that is none, and reads it for teams too [use-chat.idempotency]", async () => {
  const service = await serve({ teams: { desk: desk() } });
  const body = { id: "c1", message: message("Hi.") };
  const bad = await service.post("/teams/desk/ui", body, { "Idempotency-Key": "a b" });
  expect([bad.status, bad.json]).toMatchObject([400, { error: { code: "invalid_request" } }]);

  const [one, other] = [
    await service.post("/teams/desk/ui", body, headers),
    await service.post("/teams/desk/ui", body, headers),
  ];
  expect(one.headers.get("x-run-id")).toBe(other.headers.get("x-run-id"));
});
