import { TroupeError } from "@troupe/core";
import type { RunWait } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { createService } from "@troupe/core/service";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeResponse } from "../../test/fake-response.ts";
import { scriptedAgent } from "../../test/serve-a2a.ts";
import type { A2AMessage } from "../wire/task.ts";
import { toQuestion } from "./questions.ts";
import { takeMessage } from "./take-message.ts";
import type { MessageRequest } from "./take-message.ts";
import { noteOf, noteWith } from "./task-history.ts";
import type { TaskRuns } from "./task-runs.ts";

const helper = scriptedAgent([]);
const principal = { userId: "ada" };
const approval: RunWait = { id: "w1", kind: "approval", about: { toolName: "pay" } };
const asked: A2AMessage = { messageId: "m-0", role: "user", parts: [{ kind: "text", text: "Pay 5" }] };
const yes: A2AMessage = { messageId: "m-1", role: "user", parts: [{ kind: "text", text: "yes" }], taskId: "r" };
const waiting: RunView = {
  runId: "r",
  kind: "agent",
  name: "helper",
  sessionId: "s",
  status: "waiting",
  createdAt: 1,
  attempts: 1,
  waits: [approval],
  note: noteOf(asked),
};

/** Makes runs of which one task is known, and notes what they are told. */
function runsOf(run: RunView, answer: () => Promise<void> = () => Promise.resolve(), noteNow = run.note) {
  const told: unknown[][] = [];
  const service = {
    answer: async (...given: unknown[]) => {
      told.push(["answer", ...given]);
      await answer();
    },
    changeNote: async (runId: string, owner: unknown, change: (note: RunView["note"]) => unknown) =>
      await Promise.resolve(void told.push(["note", runId, owner, change(noteNow)])),
  };
  const stored = { service, runId: run.runId, sessionId: run.sessionId };
  const begun = { service, runId: "new", sessionId: "s-new", kind: "team", over: Promise.resolve() };
  const runs = {
    service: createService({ agents: { helper }, runOptions: () => ({ metadata: { version: "1.0" } }) }),
    find: async (...given: unknown[]) => {
      told.push(["find", ...given]);
      return await Promise.resolve({ run: stored, view: run });
    },
    begin: async (...given: unknown[]) => {
      told.push(["begin", ...given]);
      return await Promise.resolve(begun);
    },
  };
  return { runs: runs as unknown as TaskRuns, stored, begun, told };
}

function request(message: A2AMessage, given: Given = {}): MessageRequest {
  const { user, ...fields } = { user: principal, ...given };
  const exchange = new FakeResponse().exchange();
  exchange.signIn(user);
  return { message, outputModes: undefined, agent: "helper", exchange, ...fields };
}

type Given = Partial<MessageRequest> & { user?: object | undefined };

beforeEach(() => void vi.useFakeTimers({ now: 42 }));
afterEach(() => void vi.useRealTimers());

describe("a message that begins a task", () => {
  it("is a run of its agent, for its user, with the message as its note and in its metadata", async () => {
    const { runs, begun, told } = runsOf(waiting);
    const asking = request({ ...asked, contextId: "s-1" }, { outputModes: ["a/b"] });
    const task = await takeMessage(asking, runs);
    const note = noteOf(asked);
    const facts = { name: "helper", note };

    expect(task.run).toBe(begun);
    expect(task.view).toEqual({
      runId: "new",
      sessionId: "s-new",
      status: "queued",
      createdAt: 42,
      attempts: 0,
      kind: "team",
      ...facts,
    });
    expect(told).toEqual([["begin", expect.objectContaining({ input: "Pay 5" }), facts]]);
    expect(asking.exchange.record).toMatchObject({ name: "helper", runId: "new" });
    await expect(asking.exchange.untilRunEnds()).resolves.toBeUndefined();
    const text = JSON.stringify(told[0]?.[1]);
    for (const part of ['"sessionId":"s-1"', '"userId":"ada"', '"version":"1.0"', '"acceptedOutputModes":["a/b"]']) {
      expect(text).toContain(part);
    }
  });

  it("is refused without content, and begins nothing", async () => {
    const { runs, told } = runsOf(waiting);
    const empty = { ...asked, parts: [{ kind: "text", text: " " }] } satisfies A2AMessage;
    await expect(takeMessage(request(empty), runs)).rejects.toMatchObject({ kind: "invalid-params" });
    expect(told).toEqual([]);
  });
});

describe("a message for a task that waits", () => {
  it("answers its question, and is kept behind it", async () => {
    const { runs, stored, told } = runsOf(waiting);
    const task = await takeMessage(request({ ...yes, contextId: "s" }), runs);
    const message = { ...yes, contextId: "s" };
    const note = noteWith(noteOf(asked), [toQuestion(waiting), message]);

    expect(task).toEqual({ run: stored, view: { ...waiting, status: "running", startedAt: 42, note } });
    expect(told).toEqual([
      ["find", "r", principal],
      ["answer", "r", "w1", { approved: true, reason: "yes" }, principal],
      ["note", "r", principal, note],
    ]);
  });

  it("is kept behind what others have said meanwhile", async () => {
    const others = noteWith(noteOf(asked), [{ ...yes, messageId: "m-2" }]);
    const { runs, told } = runsOf(waiting, undefined, others);
    await takeMessage(request(yes), runs);

    expect(told.find(([what]) => what === "note")?.[3]).toEqual(noteWith(others, [toQuestion(waiting), yes]));
  });

  it("is asked for as nobody's without a user", async () => {
    const { runs, told } = runsOf(waiting);
    await takeMessage(request(yes, { user: undefined }), runs);
    expect(told.slice(0, 2)).toEqual([
      ["find", "r", {}],
      ["answer", "r", "w1", { approved: true, reason: "yes" }, {}],
    ]);
  });

  const again = "Send the message without taskId: it begins a new task.";
  it.each([
    ["queued", `The task is working, and asks nothing. ${again}`],
    ["running", `The task is working, and asks nothing. ${again}`],
    ["completed", `The task is over. ${again}`],
    ["error", `The task is over. ${again}`],
  ] as const)("is refused where that does not wait: %s", async (state, message) => {
    const { runs, told } = runsOf({ ...waiting, status: state });
    await expect(takeMessage(request(yes), runs)).rejects.toMatchObject({ kind: "unsupported-operation", message });
    expect(told).toHaveLength(1);
  });

  it("is refused in another context", async () => {
    const { runs, told } = runsOf(waiting);
    const message = "message.contextId must be that of the task. Leave it out, or name no task.";
    const taken = takeMessage(request({ ...yes, contextId: "s-2" }), runs);
    await expect(taken).rejects.toMatchObject({ kind: "invalid-params", message });
    expect(told).toHaveLength(1);
  });

  it.each([
    ["conflict", { kind: "unsupported-operation", message: "Not so." }],
    ["not_found", { kind: "invalid-params", message: "Not so." }],
    ["storage_unavailable", { code: "storage_unavailable", message: "Not so." }],
  ] as const)("is refused where its answer is: %s", async (code, failure) => {
    const { runs, told } = runsOf(waiting, () => Promise.reject(new TroupeError(code, "Not so.")));
    await expect(takeMessage(request(yes), runs)).rejects.toMatchObject(failure);
    expect(told.map(([what]) => what)).toEqual(["find", "answer"]);
  });
});
