import { Agent, InMemoryStorage, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { serveAll } from "./serve-all.ts";

type Asked = { readonly method?: string; readonly path: string; readonly body?: object };

const headers = { "x-user": "ada" };
const failure = () => new TroupeError("storage_unavailable", "Down.");

/** A storage that can be switched off: each call then fails. */
function storageThatFails() {
  const state = { isDown: false };
  const storage = new Proxy(new InMemoryStorage(), {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (state.isDown && name !== "close") throw failure();
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { state, storage };
}

const said = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });
const rpc = (method: string, params: object): Asked => ({
  path: "/a2a",
  body: { jsonrpc: "2.0", id: 1, method, params },
});
const message = (more: object) => ({
  kind: "message",
  messageId: "m",
  role: "user",
  parts: [{ kind: "text", text: "Hi" }],
  ...more,
});

/** The ids of a run and a response of the user, and of a response of another user. */
type Ids = { readonly runId: string; readonly responseId: string; readonly foreignId: string };

/** The requests of every protocol that read a stored run. */
const runRequests = ({ runId, responseId, foreignId }: Ids): Asked[] => [
  { method: "GET", path: `/runs/${runId}` },
  { method: "DELETE", path: `/runs/${runId}` },
  { method: "GET", path: `/runs/${runId}/deliveries` },
  { method: "GET", path: `/runs/${runId}/events` },
  { path: `/runs/${runId}/cancel`, body: {} },
  { path: `/runs/${runId}/signals`, body: { event: "paid" } },
  { path: `/runs/${runId}/answers/w`, body: { approved: true } },
  { path: "/agents/a/ui", body: { id: "c1", message: said("Hi") } },
  { path: "/agents/a/ui", body: { id: "c1", message: { ...said("Hi"), id: runId, role: "assistant" } } },
  { path: "/agents/a/ui", body: { id: "c1", message: said("Hi"), trigger: "regenerate-message", messageId: runId } },
  { method: "GET", path: "/agents/a/ui/c1/stream" },
  { path: "/agents/a/ui/c1/stop", body: {} },
  {
    path: "/agui/agents/a",
    body: { threadId: "c1", runId: "x", messages: [{ id: "u", role: "user", content: "Hi" }] },
  },
  {
    path: "/agui/agents/a",
    body: { threadId: "c1", runId: "x", messages: [], resume: [{ interruptId: "i", status: "resolved" }] },
  },
  { method: "GET", path: `/v1/responses/${responseId}` },
  { method: "GET", path: `/v1/responses/${responseId}?stream=true` },
  { method: "DELETE", path: `/v1/responses/${responseId}` },
  { path: `/v1/responses/${responseId}/cancel`, body: {} },
  { method: "GET", path: `/v1/responses/${responseId}/input_items` },
  { path: "/v1/responses", body: { model: "a", input: "Hi", previous_response_id: foreignId } },
  rpc("tasks/get", { id: runId }),
  rpc("tasks/cancel", { id: runId }),
  rpc("tasks/resubscribe", { id: runId }),
  rpc("message/send", { message: message({ taskId: runId }) }),
  rpc("message/stream", { message: message({ taskId: runId }) }),
];

/** The requests of every protocol that read a session. */
const sessionRequests = ({ responseId }: Ids): Asked[] => [
  { method: "GET", path: "/sessions" },
  { method: "GET", path: "/sessions/c1" },
  { method: "DELETE", path: "/sessions/c1" },
  { method: "GET", path: "/sessions/c1/turns" },
  { method: "DELETE", path: "/sessions/c1/turns?from=1" },
  { method: "GET", path: "/sessions/c1/turns/1/parts/0" },
  {
    path: "/agents/a/ui",
    body: { id: "c1", messages: [said("One"), { ...said("Two"), role: "assistant", id: "z" }, said("Hi")] },
  },
  { path: "/agents/a/ui", body: { id: "c1", message: said("Hi"), trigger: "regenerate-message", messageId: "z" } },
  { path: "/v1/responses", body: { model: "a", input: "Hi", previous_response_id: responseId } },
  { path: "/v1/responses", body: { model: "a", input: "Hi", previous_response_id: responseId, store: false } },
  { method: "GET", path: `/v1/responses/${responseId}` },
  { method: "DELETE", path: `/v1/responses/${responseId}` },
  { path: `/v1/responses/${responseId}/cancel`, body: {} },
  { method: "GET", path: `/v1/responses/${responseId}/input_items` },
];

/** Serves an agent that has answered in the session `c1` and once over Responses. */
async function serveAnswered() {
  const { state, storage } = storageThatFails();
  const model = new ScriptedModel().respond(() => "Done.");
  const served = await serveAll({ agents: { a: new Agent({ name: "a", model, storage }) } });
  await served.post("/agents/a/run", { input: "Hi", sessionId: "c1" }, headers);
  const respond = async (user: string): Promise<string> => {
    const { text } = await served.post("/v1/responses", { model: "a", input: "Hi" }, { "x-user": user });
    return (JSON.parse(text) as { id: string }).id;
  };
  const ids: Ids = { runId: "0123", responseId: await respond("ada"), foreignId: await respond("bob") };
  const send = async ({ method = "POST", path, body }: Asked) => {
    const { status, text: answer } =
      body === undefined ? await served.ask(path, { method, headers }) : await served.post(path, body, headers);
    return `${method} ${path} ${JSON.stringify(body ?? "")}: ${status} ${answer}`;
  };
  return { service: served.service, state, send, ids };
}

/** The same refusal in the forms of all protocols. */
const refusal = /: (503 |200 [^]*"error")[^]*(storage_unavailable|Down|storage|unavailable)/;

describe("a request over any protocol while a storage is down", () => {
  it("is refused as unavailable if it reads a run, and is not told that there is none", async () => {
    const { service, send, ids } = await serveAnswered();
    vi.spyOn(service.servedRuns, "find").mockImplementation(async () => await Promise.reject(failure()));
    vi.spyOn(service.servedRuns, "findOfSession").mockImplementation(async () => await Promise.reject(failure()));
    const answers = await Promise.all(runRequests(ids).map(send));

    expect(answers.filter((answer) => !refusal.test(answer))).toEqual([]);
  });

  it("is refused as unavailable if it reads a session, and is not told that there is none", async () => {
    const { state, send, ids } = await serveAnswered();
    state.isDown = true;
    const answers = await Promise.all(sessionRequests(ids).map(send));

    expect(answers.filter((answer) => !refusal.test(answer))).toEqual([]);
  });

  it.each([
    ["read", { messages: [said("One"), { ...said("Two"), role: "assistant", id: "z" }, said("Hi")] }],
    ["readTurns", { message: said("Hi"), trigger: "regenerate-message", messageId: "z" }],
  ] as const)("begins no run of useChat beside a history that could not be looked up: %s", async (name, body) => {
    const { service, send } = await serveAnswered();
    vi.spyOn(service.sessions, name).mockImplementation(async () => await Promise.reject(failure()));
    const answer = await send({ path: "/agents/a/ui", body: { id: "c1", ...body } });

    expect(answer).toMatch(refusal);
    expect(await send({ method: "GET", path: "/sessions" })).not.toMatch(/"turns":2/);
  });
});
