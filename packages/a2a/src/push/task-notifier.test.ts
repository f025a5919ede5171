import type { Json, RunWait } from "@troupe/core";
import type { RunEvent, RunService, RunView } from "@troupe/core/runs";
import { replaceSleep } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerByMessage } from "../agent/reply.ts";
import { toStatus, toTask } from "../tasks/task-view.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import { isSettled, TaskNotifier } from "./task-notifier.ts";

const run: RunView = {
  runId: "r",
  kind: "agent",
  name: "helper",
  sessionId: "s",
  status: "running",
  createdAt: 1,
  startedAt: 2,
  attempts: 1,
};
const [first, second] = ["w1", "w2"].map((id): RunWait => ({ id, kind: "approval", about: null }));
const waiting: RunView = { ...run, status: "waiting", ...(first && second && { waits: [first, second] }) };
const output = (fields: object) => fields as Json;
const chart = { type: "chart", data: "a", mimeType: "text/csv", toolCallId: "c", toolName: "draw" };
const done: RunView = {
  ...run,
  status: "completed",
  endedAt: 9,
  output: output({ text: "Rain.", artifacts: [chart] }),
};

/** Makes the notifier of a run whose record is, at each look, the next of these. */
function notifierOf(...records: RunView[]) {
  const asked: unknown[][] = [];
  const get = async (...given: unknown[]) => {
    asked.push(given);
    return await Promise.resolve(records[Math.min(asked.length, records.length) - 1]);
  };
  const stopped = new AbortController();
  const init = { form: dialect1, attempt: 1, stopped: stopped.signal };
  return { notifier: new TaskNotifier({ get } as unknown as RunService, "r", init), asked, stopped };
}

const status = (view: RunView) => {
  const event = { type: "status", taskId: "r", contextId: "s", status: toStatus(view, dialect1) };
  return { event, task: toTask(view, dialect1) };
};
const attempt = (at?: number): RunEvent => {
  return { id: "1.0", type: "attempt", attempt: 2, node: "n", ...(at !== undefined && { at }) };
};
const waitOf = (wait: RunWait | undefined) => ({ id: "2.0", type: "wait", wait }) as RunEvent;
const end: RunEvent = { id: "3.0", type: "end", output: null };

describe("the notifications of an event", () => {
  it.each([
    [7, run, 7],
    [undefined, run, 2],
    [undefined, { ...done, waits: waiting.waits ?? [] }, 2],
  ])("of an attempt say that the task works, since its time or the start: %s", async (at, record, since) => {
    const { notifier, asked } = notifierOf(record);
    const notified = await notifier.of(attempt(at));
    expect(notified).toEqual([status({ ...run, startedAt: since })]);
    expect([notifier.attempt, asked]).toEqual([2, [["r", "host"]]]);
  });

  it("the notifications of an event of the end are the artifacts and the status, once the record says so", async () => {
    const { notifier, asked } = notifierOf(run, waiting, done);
    const notified = await notifier.of(end);
    const task = toTask(done, dialect1);
    const place = { taskId: "r", contextId: "s", append: false, isLast: true };
    expect(notified).toEqual([
      ...task.artifacts.map((artifact) => ({ event: { type: "artifact", artifact, ...place }, task })),
      status(done),
    ]);
    expect(task.artifacts).toHaveLength(2);
    expect(asked).toHaveLength(3);
  });

  it("the notifications of an event of the end with a message in place of the task are that alone", async () => {
    const artifacts = answerByMessage("Hi.").artifacts.map((each) => ({ ...each, toolCallId: "c", toolName: "end" }));
    const record = { ...done, output: output({ text: "Hi.", artifacts }) };
    const parts = [{ kind: "text", text: "Hi." }];
    const message = { messageId: "r:end", role: "agent", contextId: "s", parts };
    const task = toTask(record, dialect1);
    expect(await notifierOf(record).notifier.of(end)).toEqual([{ event: { type: "message", message }, task }]);
  });

  it("the notifications of an event of questions come with the last one, and have them all", async () => {
    const record = { ...waiting, output: output({ text: "Ra" }) };
    const { notifier } = notifierOf(run, record);
    expect(await notifier.of(waitOf(first))).toEqual([]);
    expect(await notifier.of(waitOf(second))).toEqual([status(record)]);
  });

  it.each([done, { ...run, attempts: 2 }])(
    "the notifications of an event of a question that was answered meanwhile have that one",
    async (record) => {
      const { output: _output, endedAt: _endedAt, ...before } = record;
      const notified = await notifierOf(record).notifier.of(waitOf(first));
      expect(notified).toEqual([status({ ...before, status: "waiting", ...(first && { waits: [first] }) })]);
    },
  );

  it("are none of a piece of a text", async () => {
    const { notifier, asked } = notifierOf(run);
    const chunk = { id: "1.1", type: "chunk", step: "m", chunk: { type: "text", text: "Ra" } } as unknown as RunEvent;
    expect([await notifier.of(chunk), asked]).toEqual([[], []]);
  });

  it("are given up when the delivery is stopped", async () => {
    const { notifier, stopped } = notifierOf(run);
    const notified = notifier.of(end);
    stopped.abort();
    await expect(notified).rejects.toMatchObject({ name: "AbortError" });
  });
});

it("the record of a run is looked at after 2 ms, then later and later up to a second, until it is over", async () => {
  const pauses: unknown[] = [];
  onTestFinished(replaceSleep(async (...pause) => await Promise.resolve(void pauses.push(pause))));
  const { notifier, asked, stopped } = notifierOf(...Array.from({ length: 11 }, () => run), done);
  expect((await notifier.of(end)).at(-1)).toEqual(status(done));

  const options = { ref: false, signal: stopped.signal };
  expect(pauses).toStrictEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000].map((ms) => [ms, options]));
  expect(asked).toEqual(Array.from({ length: 12 }, () => ["r", "host"]));
});

it("a run is settled where it waits or is over", () => {
  const all = ["queued", "running", "waiting", "completed", "error", "cancelled"] as const;
  const settled = all.filter((each) => isSettled({ ...run, status: each }));
  expect(settled).toEqual(["waiting", "completed", "error", "cancelled"]);
});
