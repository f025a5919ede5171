import type { RequestHandler } from "express";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openChat } from "../test/chat.ts";
import { desk, durable, payer, talker } from "../test/runnables.ts";
import { as, serve } from "../test/serve.ts";
import { requestRecordOf } from "@troupe/core/transport";
import type { ChatStreamOptions } from "./chat-stream.ts";

const soon = { timeout: 10_000, interval: 2 };

/** Serves an agent that asks before it pays, one that talks, and a team of the first one's name; and asks the first one to pay in the chat `c1` of Ada. */
async function servePaying() {
  const agents = { a: payer().agent, b: talker() };
  const teams = { a: desk() };
  const runs = await durable({ agents, teams });
  const service = await serve({ agents, teams, runs });
  const open = openChat(service, "/agents/a/ui", { id: "c1", headers: as("ada") });
  await open.chat.sendMessage({ text: "Pay." });
  const asked = open.chat.messages.at(-1);
  const [waitId = ""] = (await runs.get(asked?.id ?? "", "host")).waits?.map(({ id }) => id) ?? [];
  const answered = (id: string, approved = true) => ({
    type: "tool-pay",
    toolCallId: "t",
    state: "approval-responded",
    approval: { id, approved },
  });
  const answer = async (parts: object[], more: { path?: string; body?: object } = {}) => {
    const body = { id: "c1", message: { id: asked?.id, role: "assistant", parts }, ...more.body };
    return await service.post(more.path ?? "/agents/a/ui", body, as("ada"));
  };
  return { runs, runId: asked?.id ?? "", waitId, answered, answer };
}

describe("an answer to a question", () => {
  it("is refused where its run is not of this agent, and where its message has no id [http.ui-approval]", async () => {
    const { waitId, runs, runId, answered, answer } = await servePaying();

    const other = await answer([answered(waitId)], { path: "/agents/b/ui" });
    const ofTeam = await answer([answered(waitId)], { path: "/teams/a/ui" });
    const nameless = await answer([], { body: { message: { role: "assistant", parts: [answered(waitId)] } } });

    const message = "The message has no run in this chat that could go on.";
    for (const each of [other, ofTeam])
      expect(each).toMatchObject({ status: 404, json: { error: { code: "not_found", message } } });
    expect(nameless).toMatchObject({ status: 404 });
    expect(await runs.get(runId, "host")).toMatchObject({ status: "waiting" });
  });

  it("belongs to the run that messageId names, before the id of its message [http.ui-approval]", async () => {
    const { waitId, runId, answered, answer } = await servePaying();
    const parts = [answered(waitId)];

    const named = await answer(parts, { body: { messageId: runId, message: { id: "m", role: "assistant", parts } } });

    expect(named.status).toBe(200);
  });

  it("has the ids of its run in its head [http.ui-approval]", async () => {
    const { waitId, runId, answered, answer } = await servePaying();

    const { status, headers } = await answer([answered(waitId)]);

    expect(status).toBe(200);
    const named = ["x-run-id", "x-session-id", "content-location"].map((name) => headers.get(name));
    expect(named).toEqual([runId, "c1", `/runs/${runId}`]);
  });

  it("is not given to its run by a request whose query is refused [http.ui-approval]", async () => {
    const { waitId, runs, runId, answered, answer } = await servePaying();

    const { status } = await answer([answered(waitId)], { path: "/agents/a/ui?early=yes" });

    expect(status).toBe(400);
    expect(await runs.get(runId, "host")).toMatchObject({ status: "waiting" });
  });

  it("is refused when its run is over, unless it is the one that was given [http.ui-approval]", async () => {
    const { waitId, answered, answer } = await servePaying();
    await answer([answered(waitId)]);

    const again = await answer([answered(waitId)]);
    const refused = [await answer([]), await answer([{ type: "text", text: "x" }]), await answer([answered("other")])];

    expect(again.status).toBe(200);
    const message = "The run of this message waits for no answer.";
    for (const each of refused)
      expect(each).toMatchObject({ status: 409, json: { error: { code: "conflict", message } } });
  });
});

it("the chat transport notes the run of an answer for the log of its request", async () => {
  const agents = { a: payer().agent };
  const runs = await durable({ agents });
  const noted: (string | undefined)[] = [];
  const service = await serve(
    { agents, runs },
    {
      before: [
        (_request, response, next) => {
          response.once("close", () => noted.push(requestRecordOf(response).runId));
          next();
        },
      ],
      onNode: "the record belongs to the response of Node",
    },
  );
  const open = openChat(service, "/agents/a/ui", { id: "c1" });
  await open.chat.sendMessage({ text: "Pay." });
  const runId = open.chat.messages.at(-1)?.id ?? "";
  const [wait] = (await runs.get(runId, "host")).waits ?? [];
  const part = { type: "tool-pay", state: "approval-responded", approval: { id: wait?.id, approved: true } };

  await service.post("/agents/a/ui", { id: "c1", message: { id: runId, role: "assistant", parts: [part] } });

  await vi.waitFor(() => expect(noted).toEqual([runId, runId]), soon);
});

describe("a page that leaves while its message is answered", () => {
  const message = { id: "m", role: "user", parts: [{ type: "text", text: "Hi." }] };

  /** Serves an agent that never ends its answer, with or without a question before it. */
  async function serveHanging(chat: ChatStreamOptions, hasQuestion = false) {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object", properties: {} },
      needsApproval: true,
      execute: () => "Paid.",
    });
    const question = hasQuestion ? [{ toolCalls: [{ id: "t1", name: "pay", arguments: {} }] }] : [];
    const model = new ScriptedModel(...question, { text: ["one "], hang: true });
    const agents = { a: new Agent({ name: "a", model, tools: [pay], storage: new InMemoryStorage() }) };
    const runs = await durable({ agents });
    const cancel = vi.spyOn(runs, "cancel");
    onTestFinished(() => cancel.mockRestore());
    const closed = Promise.withResolvers<void>();
    const onClose: RequestHandler = (request, response, next) => {
      if (request.url.includes("early=1")) response.once("close", closed.resolve);
      next();
    };
    const service = await serve({ agents, runs }, { chat, before: [onClose] });
    /** Sends a message, leaves at the first bytes of its answer, and returns what the service was asked to cancel. */
    const leave = async (body: object, query = ""): Promise<unknown[]> => {
      const left = new AbortController();
      await fetch(`http://127.0.0.1:${service.port}/agents/a/ui?early=1${query}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: "c1", ...body }),
        signal: left.signal,
      });
      left.abort();
      await closed.promise;
      return cancel.mock.calls.map(([, , reason]) => reason);
    };
    return { service, runs, leave };
  }

  it("leaves a durable run to go on, though plain runs of the service end with their connections", async () => {
    const { leave } = await serveHanging({});
    expect(await leave({ message })).toEqual([]);
  });

  it("ends a durable run where the host says so for chats", async () => {
    const { leave } = await serveHanging({ onDisconnect: "cancel" });
    expect(await leave({ message })).toEqual(["The client disconnected."]);
  });

  it("ends a durable run where its request says so, whatever the host says for chats", async () => {
    const { leave } = await serveHanging({ onDisconnect: "continue" });
    expect(await leave({ message }, "&onDisconnect=cancel")).toEqual(["The client disconnected."]);
  });

  it.each([
    ["leaves", {}, []],
    ["ends", { onDisconnect: "cancel" } as const, ["The client disconnected."]],
  ])("%s a durable run that goes on after an answer, as one that begins", async (_, chat, reasons) => {
    const { service, runs, leave } = await serveHanging(chat, true);
    const runId = (await service.post("/agents/a/ui", { id: "c1", message })).headers.get("x-run-id") ?? "";
    const [wait] = (await runs.get(runId, "host")).waits ?? [];
    const part = { type: "tool-pay", state: "approval-responded", approval: { id: wait?.id, approved: true } };

    expect(await leave({ message: { id: runId, role: "assistant", parts: [part] } })).toEqual(reasons);
  });
});

it("the run of a question that was not answered tells why it ended", async () => {
  const { runs, runId, answer } = await servePaying();

  await answer([{ type: "text", text: "Or rather not." }], {
    body: { message: { id: "n", role: "user", parts: [{ type: "text", text: "Or rather not." }] } },
  });

  expect(await runs.get(runId, "host")).toMatchObject({
    status: "cancelled",
    error: { code: "cancelled", message: "The run was cancelled: Another message takes its place." },
  });
});
