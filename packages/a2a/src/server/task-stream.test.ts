import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeResponse } from "../../test/fake-response.ts";
import { ended, queued, status } from "../../test/followed-task.ts";
import { toTask } from "../tasks/task-view.ts";
import { A2AError } from "../wire/a2a-error.ts";
import { answerTo } from "../wire/json-rpc.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import type { A2AMessage, A2ATask } from "../wire/task.ts";
import { TaskStream } from "./task-stream.ts";
import type { StreamedTask } from "./task-stream.ts";

type Frame = { id: unknown; result: Record<string, Record<string, unknown>>; error: { code: number; message: string } };

function streamOf(given: Partial<StreamedTask> = {}, version: "0.3" | "1.0" = "1.0") {
  const response = new FakeResponse();
  const head = vi.spyOn(response, "writeHead");
  const task = { taskId: "r", contextId: "s", takesMessage: false, ...given };
  const answered = answerTo(7, dialectOfVersion(version));
  const stream = new TaskStream(response.exchange(), answered, { ...task, heartbeatMs: 15_000 });
  const frames = (): Frame[] =>
    response.text
      .split("\n\n")
      .flatMap((each) => (each.startsWith("data: ") ? [JSON.parse(each.slice(6)) as Frame] : []));
  return { stream, response, frames, head };
}

const messages = [1, 2, 3].map((number): A2AMessage => ({
  messageId: `m-${number}`,
  role: "user",
  parts: [{ kind: "text", text: "Hi" }],
}));
const task: A2ATask = { ...toTask(queued, { repeatsAnswer: false }), history: messages };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the stream of a task", () => {
  it("has its head at once, and its frames as answers to the call", async () => {
    const { stream, frames, head } = streamOf();
    expect(head.mock.calls).toEqual([
      [
        200,
        { "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no" },
      ],
    ]);
    void stream.send(status(ended("Rain.")));
    void stream.sendText("Ra", { append: false, isLast: false });
    void stream.sendText("in.", { append: true, isLast: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(frames().map(({ id }) => id)).toEqual([7, 7, 7]);
    expect(frames().map(({ result }) => result)).toEqual([
      { statusUpdate: expect.objectContaining({ taskId: "r", contextId: "s" }) },
      {
        artifactUpdate: {
          taskId: "r",
          contextId: "s",
          artifact: { artifactId: "response", name: "response", parts: [{ text: "Ra" }] },
        },
      },
      {
        artifactUpdate: {
          taskId: "r",
          contextId: "s",
          artifact: { artifactId: "response", name: "response", parts: [{ text: "in." }] },
          append: true,
          lastChunk: true,
        },
      },
    ]);
  });

  it.each([
    [undefined, ["m-1", "m-2", "m-3"]],
    [0, undefined],
    [1, ["m-3"]],
    [3, ["m-1", "m-2", "m-3"]],
  ])("has as much of the history of its task as was asked for: %s", async (historyLength, ids) => {
    const { stream, frames } = streamOf({ historyLength });
    void stream.send({ type: "task", task });
    await vi.advanceTimersByTimeAsync(0);
    const history = frames()[0]?.result["task"]?.["history"] as A2AMessage[] | undefined;
    expect(history?.map(({ messageId }) => messageId)).toEqual(ids);
    expect(task.history).toBe(messages);
  });

  it.each([true, false])("says if it takes a message in place of its task: %s", (takesMessage) => {
    expect(streamOf({ takesMessage }).stream.takesMessage).toBe(takesMessage);
  });

  it.each(["0.3", "1.0"] as const)("has the form of its version and ends where that ends: %s", (version) => {
    const { stream } = streamOf({}, version);
    const dialect = dialectOfVersion(version);
    expect(stream.form.repeatsAnswer).toBe(dialect.repeatsAnswer);
    for (const state of ["working", "input-required", "auth-required", "completed"] as const)
      expect(stream.endsAt(state)).toBe(dialect.endsStream(state));
  });

  it("fails with an error as its last frame, once", async () => {
    const { stream, frames, response } = streamOf();
    stream.fail(new A2AError("internal", "Broken."));
    stream.fail(new A2AError("internal", "Twice."));
    void stream.sendText("late", { append: false, isLast: false });
    await vi.advanceTimersByTimeAsync(0);
    expect(frames().map(({ id, error }) => [id, error.code, error.message])).toEqual([[7, -32603, "Broken."]]);
    expect(response.writableEnded).toBe(true);
    expect(response.sentInVain).toBe(0);
  });

  it("closes once, and leaves no timer", async () => {
    const timers = vi.getTimerCount();
    const { stream, response } = streamOf();
    stream.close();
    stream.close();
    await vi.advanceTimersByTimeAsync(0);
    await vi.runOnlyPendingTimersAsync();
    expect([response.writableEnded, response.sentInVain, response.text]).toEqual([true, 0, ""]);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(timers);
  });

  it("drops what comes for a client that has left", async () => {
    const { stream, response } = streamOf();
    response.destroy();
    expect(stream.send(status(ended("Rain.")))).toBeUndefined();
    expect(stream.sendText("Ra", { append: false, isLast: false })).toBeUndefined();
    stream.fail(new A2AError("internal", "Broken."));
    await vi.advanceTimersByTimeAsync(0);
    expect([response.text, response.sentInVain]).toEqual(["", 0]);
  });

  it("has a heartbeat after each pause of its length", async () => {
    const { response } = streamOf();
    await vi.advanceTimersByTimeAsync(14_999);
    expect(response.text).toBe("");
    await vi.advanceTimersByTimeAsync(1);
    expect(response.text).toBe(": heartbeat\n\n");
    await vi.advanceTimersByTimeAsync(15_000);
    expect(response.text).toBe(": heartbeat\n\n".repeat(2));
  });

  it("has its writer wait while its client is behind, and go on when that leaves", async () => {
    const response = new FakeResponse(async () => await new Promise<void>(() => undefined));
    const answered = answerTo(7, dialectOfVersion("1.0"));
    const facts = { taskId: "r", contextId: "s", takesMessage: false, heartbeatMs: 15_000 };
    const stream = new TaskStream(response.exchange(), answered, facts);
    const drained = stream.sendText("x".repeat(20_000), { append: false, isLast: true });
    let isOver = false;
    void drained?.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect([drained === undefined, isOver]).toEqual([false, false]);
    response.destroy();
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(true);
  });
});
