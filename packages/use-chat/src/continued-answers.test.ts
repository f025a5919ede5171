import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { requestRecordOf } from "@troupe/core/transport";
import type { RequestRecord } from "@troupe/core/transport";
import { expect, it, vi } from "vitest";
import { durable } from "../test/runnables.ts";
import { as, serve } from "../test/serve.ts";

const patience = { timeout: 10_000, interval: 2 };
const path = "/agents/a/ui";

type Asking = { isDurable?: boolean; last?: ConstructorParameters<typeof ScriptedModel>[0]; hold?: Promise<void> };

/** Serves an agent that asks for an approval in each round, and keeps the records of its requests. */
async function serveAsker({ isDurable = true, last = "All is paid.", hold }: Asking = {}) {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: {} },
    needsApproval: true,
    execute: async () => {
      await hold;
      return "Paid.";
    },
  });
  const model = new ScriptedModel().respond((request) => {
    const done = request.messages.filter(({ role }) => role === "tool").length;
    if (done < 2) return { toolCalls: [{ id: `t${done}`, name: "pay", arguments: {} }] };
    return typeof last === "function" ? last(request) : last;
  });
  const agents = { a: new Agent({ name: "a", model, tools: [pay], storage: new InMemoryStorage() }) };
  const runs = isDurable ? await durable({ agents }) : undefined;
  const records: RequestRecord[] = [];
  const service = await serve(
    { agents, ...(runs !== undefined && { runs }) },
    {
      before: [
        (_request, response, next) => {
          response.once("close", () => records.push(requestRecordOf(response)));
          next();
        },
      ],
      onNode: "the record belongs to the response of Node",
    },
  );
  const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Pay." }] };
  const first = await service.post(path, { id: "c1", message }, as("ada"));
  const runId = first.headers.get("x-run-id") ?? "";
  /** Makes the body that approves the question of a round. */
  const approval = async () => {
    const found = await service.served.servedRuns.find(runId, "host");
    const [wait] = found.view.waits ?? [];
    const part = { type: "tool-pay", state: "approval-responded", approval: { id: wait?.id, approved: true } };
    return { id: "c1", message: { id: runId, role: "assistant", parts: [part] } };
  };
  const statusOf = async () => (await service.served.find(runId)).view();
  return { service, statusOf, runId, first, records, approval };
}

it("each answer of a run in a chat has the same head, the last too, and the stream that is resumed between them", async () => {
  const { service, first, approval } = await serveAsker();
  const resumed = await service.ask(`${path}/c1/stream`, { headers: as("ada") });
  const head = await service.ask(`${path}/c1/stream`, { headers: as("ada"), method: "HEAD" });
  const second = await service.post(path, await approval(), as("ada"));
  const third = await service.post(path, await approval(), as("ada"));

  const headOf = ({ status, headers }: typeof first) => {
    const { date: _, "x-request-id": id, "content-location": place, ...rest } = Object.fromEntries(headers);
    return { status, hasId: id !== undefined, place, ...rest };
  };
  expect(headOf(first)).toMatchObject({ status: 200, "x-vercel-ai-ui-message-stream": "v1", "x-session-id": "c1" });
  for (const answer of [second, third]) expect(headOf(answer)).toEqual(headOf(first));
  expect(headOf(resumed)).toEqual({ ...headOf(first), place: undefined });
  expect(headOf(head)).toMatchObject({ "x-vercel-ai-ui-message-stream": "v1", "x-session-id": "c1" });
  expect(third.text).toContain("paid.");
});

it("each request of a run in a chat is logged with the run, its agent and, at its end, its tokens", async () => {
  const { service, runId, records, approval } = await serveAsker();
  for (let round = 0; round < 2; round++) await service.post(path, await approval(), as("ada"));

  await vi.waitFor(() => expect(records).toHaveLength(3), patience);
  const known = { name: "a", runId, route: "/agents/:name/ui" };
  expect(records).toMatchObject([known, known, { ...known, tokens: 45 }]);
  expect(records.map(({ tokens }) => tokens)).toEqual([undefined, undefined, 45]);
});

it("a failure behind the last answer of a chat is logged with its run, and sent as the end of its stream", async () => {
  const { service, runId, approval } = await serveAsker({ last: () => ({ error: new Error("planned") }) });
  await service.post(path, await approval(), as("ada"));
  expect(service.lines.join("")).not.toContain("A request failed");
  const { status, text } = await service.post(path, await approval(), as("ada"));

  expect([status, text]).toEqual([200, expect.stringContaining('"type":"error"')]);
  const logged = service.lines.filter((line) => line.includes("A request failed"));
  expect(logged).toEqual([expect.stringContaining(runId)]);
});

it("an answer in a chat that is sent again while its effect goes on ends with the next question, as the first one does", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { service, statusOf, approval } = await serveAsker({ hold: promise });
  const body = await approval();
  const sent = service.post(path, body, as("ada"));
  const isRunning = async () => expect(await statusOf()).toMatchObject({ status: "running", attempts: 2 });
  await vi.waitFor(isRunning, patience);
  const looked = vi.spyOn(service.served.servedRuns, "find");
  const again = service.post(path, body, as("ada"));
  await vi.waitFor(() => expect(looked).toHaveBeenCalledOnce(), patience);
  await looked.mock.results[0]?.value;
  looked.mockRestore();
  resolve();

  const ended: string[] = [];
  void Promise.all([sent.then(() => ended.push("first")), again.then(() => ended.push("again"))]);
  await vi.waitFor(() => expect(ended.toSorted()).toEqual(["again", "first"]), patience);
  const answers = await Promise.all([sent, again]);
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).toContain('"type":"tool-approval-request"');
    expect(text).toContain('data: {"type":"finish","finishReason":"tool-calls"}\n\ndata: [DONE]\n\n');
  }
});

it("an answer in a chat closes its connection while the service ends, and is answered whole", async () => {
  const { service, first, approval } = await serveAsker({ isDurable: false });
  const second = await service.post(path, await approval(), as("ada"));
  const drained = service.served.servedRuns.drain();
  const third = await service.post(path, await approval(), as("ada"));
  await drained;

  expect([first, second, third].map(({ headers }) => headers.get("connection"))).toEqual([
    "keep-alive",
    "keep-alive",
    "close",
  ]);
  expect(third.text).toContain("paid.");
});

it("a message in a chat closes its connection while the service ends", async () => {
  const { service } = await serveAsker({ isDurable: false });
  void service.served.servedRuns.drain();
  const message = { id: "u9", role: "user", parts: [{ type: "text", text: "Hi." }] };
  const refused = await service.post(path, { id: "c9", message }, as("ada"));

  expect([refused.status, refused.headers.get("connection")]).toEqual([503, "close"]);
});
