import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { serveAll } from "./serve-all.ts";
import type { Answered } from "./serve-all.ts";

/** A protocol whose answer ends with a question, and whose next request answers it. */
type Conversation = {
  readonly path: string;
  /** True for a client that is asked to execute the tool itself, instead of approving its call. */
  readonly executes?: boolean;
  /** False for a protocol that logs no failed run. */
  readonly logs?: boolean;
  /** Matches status and text of the answer to the last request of the run, if it is sent again. */
  readonly again: RegExp;
  readonly begin: object;
  /** Makes the request that answers the question of the answer before. */
  readonly goOn: (before: Answered) => object;
};

const found = (text: string, pattern: RegExp): string => [...text.matchAll(pattern)].at(-1)?.[1] ?? "none";
const said = { role: "user", content: "Zahl, bitte: é." };
const message0 = (more: object, text: string) => ({
  kind: "message",
  messageId: "m",
  role: "user",
  ...more,
  ...partsOf(text),
});
const partsOf = (text: string) => ({ parts: [{ kind: "text", text }] });
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const chat = (more: object, messages: readonly object[] = []) => {
  return { model: "a", messages: [said, ...messages], ...more };
};
const responses = (more: object, input: unknown = "Zahl, bitte: é.") => ({ model: "a", input, ...more });

const ofResponses = (more: object): Conversation => ({
  path: "/v1/responses",
  again: /^200 [^]*é\./,
  begin: responses(more),
  goOn: ({ text }) => {
    const approval_request_id = found(text, /"(mcpr_[\w-]+)"/g);
    return responses(more, [{ type: "mcp_approval_response", approval_request_id, approve: true }]);
  },
});

const ofChat = (more: object): Conversation => ({
  path: "/v1/chat/completions",
  again: /^200 [^]*é\./,
  executes: true,
  begin: chat(more),
  goOn: ({ text }) => {
    const id = found(text, /"(call_[\w-]+)"/g);
    const call = { id, type: "function", function: { name: "pay", arguments: "{}" } };
    const result = { role: "tool", tool_call_id: id, content: "Paid." };
    return chat(more, [{ role: "assistant", content: null, tool_calls: [call] }, result]);
  },
});

const ofA2A = (method: string): Conversation => ({
  path: "/a2a",
  logs: false,
  again: /^200 [^]*The task is over/,
  begin: rpc(method, { message: message0({}, "Zahl, bitte: é.") }),
  goOn: ({ text }) => {
    const taskId = found(text, /"taskId":"([\w-]+)"/g);
    return rpc(method, { message: message0({ taskId }, "yes") });
  },
});

let runs = 0;

const ofAgUi = (more: object): Conversation => {
  const common = () => ({ threadId: "th", runId: `r${++runs}`, tools: [], context: [], state: {}, ...more });
  return {
    path: "/agui/agents/a",
    logs: false,
    again: /^409 [^]*no run that waits/,
    get begin() {
      return { ...common(), messages: [{ id: "u", ...said }] };
    },
    goOn: ({ text }) => {
      const interruptId = found(text, /"interrupts":\[\{"id":"([^"]+)"/g);
      return { ...common(), messages: [], resume: [{ interruptId, status: "resolved", payload: { approved: true } }] };
    },
  };
};

const conversations: Readonly<Record<string, Conversation>> = {
  "a chat of useChat": {
    path: "/agents/a/ui",
    again: /^200 [^]*é\./,
    begin: { id: "c", message: { id: "m", role: "user", parts: [{ type: "text", text: "Zahl, bitte: é." }] } },
    goOn: ({ text, record: { runId } }) => {
      const approval = { id: found(text, /"approvalId":"([^"]+)"/g), approved: true };
      const parts = [{ type: "tool-pay", state: "approval-responded", approval }];
      return { id: "c", message: { id: runId, role: "assistant", parts } };
    },
  },
  "a thread of AG-UI": ofAgUi({ protocolVersion: "1.0" }),
  "a thread of AG-UI 0.0.59": ofAgUi({}),
  "a chat completion": ofChat({}),
  "a streamed chat completion": ofChat({ stream: true }),
  "a response": ofResponses({}),
  "a streamed response": ofResponses({ stream: true }),
  "a task of A2A": ofA2A("message/send"),
  "a streamed task of A2A": ofA2A("message/stream"),
};

const rounds = 3;

/** Serves an agent that asks in each of three rounds, and counts the model's calls. */
async function serveAsker({ executes = false }: Conversation, end?: Error) {
  const paid: string[] = [];
  const execute = (_args: unknown, { userId = "" }: { userId?: string }) => `Paid ${paid.push(userId)}.`;
  const fields = { name: "pay", description: "Pays.", parameters: { type: "object" } };
  const pay = defineTool({ ...fields, ...(!executes && { needsApproval: true, execute }) });
  const model = new ScriptedModel().respond(({ messages }) => {
    const done = messages.filter(({ role }) => role === "tool").length;
    if (done < rounds) return { text: `Round ${done}.`, toolCalls: [{ id: "t", name: "pay", arguments: {} }] };
    return end === undefined ? "All is paid: é." : { error: end };
  });
  const agents = { a: new Agent({ name: "a", model, tools: [pay], storage: new InMemoryStorage() }) };
  return { ...(await serveAll({ agents })), model, paid };
}

/** Begins a run and answers each of its questions. Returns the answers. */
async function converse({ path, begin, goOn }: Conversation, { post }: Awaited<ReturnType<typeof serveAsker>>) {
  const headers = { "x-user": "ada" };
  const answers = [await post(path, begin, headers)];
  for (let round = 0; round < rounds; round++)
    answers.push(await post(path, goOn(answers[round] as Answered), headers));
  return answers;
}

const idHeaders = ["date", "x-request-id", "content-length", "x-run-id", "x-session-id", "x-ag-ui-run-id"];

describe.each(Object.entries(conversations))("%s that goes on with its client's answers", (_name, conversation) => {
  it("is one run in one session, with one head and one round in each answer, and its text in the last", async () => {
    const served = await serveAsker(conversation);
    const answers = await converse(conversation, served);

    const [first] = answers;
    const headOf = ({ headers }: Answered) => [...headers].filter(([name]) => !idHeaders.includes(name));
    const idsOf = ({ headers }: Answered) =>
      ["x-run-id", "x-session-id", "x-ag-ui-run-id"].map((name) => headers.get(name));
    for (const [round, answer] of answers.entries()) {
      expect([answer.status, headOf(answer), idsOf(answer)]).toEqual([
        200,
        headOf(first as Answered),
        idsOf(first as Answered),
      ]);
      const isLast = round === rounds;
      expect(answer.text.includes("é.")).toBe(isLast || answer.text.includes("Zahl, bitte"));
    }
    expect(served.model.calls).toHaveLength(rounds + 1);
    expect(served.paid).toEqual(conversation.executes === true ? [] : ["ada", "ada", "ada"]);
  });

  it("is noted with its run and its agent for each request", async () => {
    const answers = await converse(conversation, await serveAsker(conversation));

    const runIds = new Set(answers.map(({ record }) => record.runId));
    expect([runIds.size, runIds.has(undefined)]).toEqual([1, false]);
    const routes = new Set(answers.map(({ record }) => record.route));
    expect(routes.size).toBe(1);
  });

  it("has its failure in the last answer alone, which is logged for the last request alone", async () => {
    const served = await serveAsker(conversation, new Error("planned"));
    const answers = await converse(conversation, served);

    const logged = served.lines.filter((line) => line.includes("A request failed"));
    const lastId = answers.at(-1)?.headers.get("x-request-id");
    const ofLast = logged.filter((line) => new RegExp(`\\b${lastId}\\b`).test(line));
    expect(ofLast).toEqual(logged);
    expect(logged).toHaveLength(conversation.logs === false ? 0 : 1);
    for (const { text, status } of answers.slice(0, -1)) {
      expect([status, /"error"|failed/i.test(text.replaceAll('"error":null', ""))]).toEqual([200, false]);
    }
    const last = answers.at(-1);
    expect(`${last?.status} ${last?.text}`).toMatch(/^[45]\d\d |error|failed/i);
  });

  it("closes its connection with each answer while the service ends, and is answered to its end", async () => {
    const served = await serveAsker(conversation);
    const { path, begin, goOn } = conversation;
    const answers = [await served.post(path, begin)];
    const ended = served.service.servedRuns.drain();
    for (let round = 0; round < rounds; round++)
      answers.push(await served.post(path, goOn(answers[round] as Answered)));
    await ended;

    expect(answers.map(({ headers }) => headers.get("connection"))).toEqual(["keep-alive", "close", "close", "close"]);
    expect(answers.at(-1)?.text).toContain("é.");
  });

  it("does nothing twice if its last answer is sent again", async () => {
    const served = await serveAsker(conversation);
    const { path, goOn } = conversation;
    const answers = await converse(conversation, served);
    const again = await served.post(path, goOn(answers.at(-2) as Answered), { "x-user": "ada" });

    expect(`${again.status} ${again.text}`).toMatch(conversation.again);
    expect(served.model.calls).toHaveLength(rounds + 1);
    expect(served.paid).toHaveLength(conversation.executes === true ? 0 : rounds);
  });
});
