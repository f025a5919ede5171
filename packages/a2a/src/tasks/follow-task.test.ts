import { TroupeError } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import {
  attempt,
  end,
  ended,
  form,
  queued,
  running,
  said,
  status,
  task,
  wait,
  waits,
} from "../../test/followed-task.ts";
import { followTask, untilPaused } from "./follow-task.ts";
import type { TaskTail } from "./task-tail.ts";

const waiting: RunView = { ...running, status: "waiting", waits: [wait] };
const gone = new TroupeError("gone", "Too late.");

/** Makes the tail of a task: its events, one of which may be a failure, and its records. */
function tailOf(start: RunView, events: (RunEvent | Error)[], records: { [name: string]: RunView | undefined } = {}) {
  const { settled, over, resting, paused } = records;
  const left = [...events];
  const next = async () => {
    const event = left.shift();
    return event instanceof Error ? await Promise.reject(event) : await Promise.resolve(event);
  };
  const tail = {
    task: { view: start },
    paused,
    next,
    untilSettled: async () => await Promise.resolve(settled),
    untilEnded: async () => await Promise.resolve(over),
    untilResting: async () => await Promise.resolve(resting),
  };
  return { tail: tail as unknown as TaskTail, left };
}

describe("a client that waits for its task", () => {
  const done = ended("Rain.");
  it.each<[string, ReturnType<typeof tailOf>, RunView | undefined, number]>([
    ["its end", tailOf(running, [said("2.0", "Ra"), end, said("4.0", "?")], { over: done }), done, 1],
    ["a question", tailOf(running, [waits, end], { settled: waiting }), waiting, 1],
    ["the end, behind a question that was answered", tailOf(running, [waits, end], { over: done }), done, 0],
    [
      "the end, behind a question that was known",
      tailOf(waiting, [waits, end], { settled: waiting, over: done }),
      done,
      0,
    ],
    ["a question that is asked again", tailOf(waiting, [attempt(2)], { paused: waiting }), waiting, 0],
    ["nothing, when it has left", tailOf(running, [attempt(1)]), undefined, 0],
    ["its rest, when it was too late", tailOf(running, [attempt(1), gone], { resting: done }), done, 0],
  ])("gets %s", async (...[, { tail, left }, run, count]) => {
    expect(await untilPaused(tail)).toBe(run);
    expect(left).toHaveLength(count);
  });

  it("is told what else failed", async () => {
    const failure = new TroupeError("storage_unavailable", "Away.");
    await expect(untilPaused(tailOf(running, [failure], { resting: done }).tail)).rejects.toBe(failure);
  });
});

describe("a client that follows its task", () => {
  const follow = async (tail: TaskTail): Promise<unknown[]> => {
    const sent: unknown[] = [];
    const take = (what: unknown): undefined => void sent.push(what);
    const endsAt = (state: string) => state === "input-required";
    await followTask(tail, { form, takesMessage: false, endsAt, send: take, sendText: take });
    return sent;
  };
  const done = ended("Rain.");
  const working = status({ ...running, startedAt: 5 });

  it("gets it until its end, and reads no further", async () => {
    const { tail, left } = tailOf(queued, [attempt(1), said("2.0", "Rain."), end, attempt(2)], { over: done });
    expect(await follow(tail)).toEqual([task(queued), working, "Rain.", status(done)]);
    expect(left).toHaveLength(1);
  });

  it("gets the question that it is asked again", async () => {
    const { tail } = tailOf(waiting, [attempt(2)], { paused: waiting });
    expect(await follow(tail)).toEqual([task(waiting), working, status(waiting)]);
  });

  it("gets how it rests, when it was too late for its events", async () => {
    const { tail } = tailOf(queued, [attempt(1), gone], { resting: waiting });
    expect(await follow(tail)).toEqual([task(queued), working, status(waiting)]);
  });

  it("is told what else failed, behind what was sent", async () => {
    const failure = new Error("broken");
    await expect(follow(tailOf(queued, [attempt(1), failure]).tail)).rejects.toBe(failure);
  });
});
