import type { Json, RunWait } from "@troupe/core";
import type { RunView, SubscribedEvent } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { messageReply } from "../agent/reply.ts";
import { toStatus, toTask } from "../tasks/task-view.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import { toNotifications } from "./task-notifier.ts";

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

const status = (view: RunView) => {
  const event = { type: "status", taskId: "r", contextId: "s", status: toStatus(view, dialect1) };
  return { event, task: toTask(view, dialect1) };
};
type Event = SubscribedEvent["event"];

const attempt = (at?: number): Event => {
  return { id: "1.0", type: "attempt", attempt: 2, node: "n", ...(at !== undefined && { at }) };
};
const waitOf = (wait: RunWait | undefined) => ({ id: "2.0", type: "wait", wait }) as Event;
const end: Event = { id: "3.0", type: "end", output: null };

/** Returns the notifications of an event of the first attempt, when the run is as this record says. */
const notified = (event: Event, view: RunView) => toNotifications({ event, run: view, attempt: 1 }, dialect1);

describe("the notifications of an event", () => {
  it.each([
    [7, run, 7],
    [undefined, run, 2],
    [undefined, { ...done, waits: waiting.waits ?? [] }, 2],
  ])(
    "the notifications of an event of an attempt say that the task works, since its time or the start: %s",
    (at, record, since) => {
      expect(notified(attempt(at), record)).toEqual([status({ ...run, startedAt: since })]);
    },
  );

  it("the notifications of an event of the end are the artifacts and the status", () => {
    const task = toTask(done, dialect1);
    const place = { taskId: "r", contextId: "s", append: false, isLast: true };
    expect(notified(end, done)).toEqual([
      ...task.artifacts.map((artifact) => ({ event: { type: "artifact", artifact, ...place }, task })),
      status(done),
    ]);
    expect(task.artifacts).toHaveLength(2);
  });

  it("the notifications of an event of the end with a message in place of the task are that alone", () => {
    const artifacts = messageReply("Hi.").artifacts.map((each) => ({ ...each, toolCallId: "c", toolName: "end" }));
    const record = { ...done, output: output({ text: "Hi.", artifacts }) };
    const parts = [{ kind: "text", text: "Hi." }];
    const message = { messageId: "r:end", role: "agent", contextId: "s", parts };
    const task = toTask(record, dialect1);
    expect(notified(end, record)).toEqual([{ event: { type: "message", message }, task }]);
  });

  it("the notifications of an event of questions come with the last one, and have them all", () => {
    const record = { ...waiting, output: output({ text: "Ra" }) };
    expect(notified(waitOf(first), record)).toEqual([]);
    expect(notified(waitOf(second), record)).toEqual([status(record)]);
  });

  it.each([done, { ...run, attempts: 2 }, { ...waiting, attempts: 2 }])(
    "the notifications of an event of a question that was answered meanwhile have that one: $status",
    (record) => {
      const { output: _output, endedAt: _endedAt, waits: _waits, ...before } = record;
      const asked = status({ ...before, status: "waiting", ...(first && { waits: [first] }) });
      expect(notified(waitOf(first), record)).toEqual([asked]);
    },
  );
});
