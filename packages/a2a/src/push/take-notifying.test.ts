import { describe, expect, it } from "vitest";
import type { MessageRequest } from "../tasks/take-message.ts";
import type { TaskRuns } from "../tasks/task-runs.ts";
import { dialect03 } from "../wire/dialect-0.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import { takeNotifying } from "./answer-push.ts";
import type { NewConfig, PushSender } from "./push-sender.ts";

const owner = { userId: "ada" };
const config = { id: "p", url: "https://hooks.example/a2a" };

/** A point at which the message of a client fails. */
type Fault = "check" | "find" | "set" | "answer" | "begin";

/** Takes a message that wants notifications, and returns what is written, in order. */
function watch(taskId: string | undefined, fault?: Fault) {
  const written: string[] = [];
  const note = async <Value>(name: Fault, value: Value, shown: string = name): Promise<Value> => {
    // A write that is begun too early would come first, even if it is awaited in order.
    written.push(shown);
    await Promise.resolve();
    if (name === fault) throw new Error(`no ${name}`);
    return value;
  };
  const service = {
    answer: async () => await note("answer", undefined),
    changeNote: async () => await Promise.resolve(),
  };
  const run = { runId: "t", sessionId: "s", kind: "agent", name: "helper", service };
  const wait = { id: "w", kind: "question", question: "And?", askedAt: 1 };
  const view = { runId: "t", kind: "agent", name: "helper", sessionId: "s", status: "waiting", waits: [wait] };
  const runs = {
    find: async () => await note("find", { run, view }),
    begin: async () => await note("begin", run),
    service: { readRun: async () => await Promise.resolve({ opts: {} }) },
  } as unknown as TaskRuns;
  const push = {
    check: async () => await note("check", undefined),
    set: async (_: unknown, { fromStart }: NewConfig) =>
      await note("set", undefined, fromStart ? "set from the start" : "set from now on"),
  } as unknown as PushSender;
  const message = { messageId: "m", role: "user", parts: [{ kind: "text", text: "Yes" }], ...(taskId && { taskId }) };
  const exchange = { principal: owner, record: {} };
  const request = { message, outputModes: undefined, agent: "helper", exchange } as unknown as MessageRequest;
  return { written, request, runs, push };
}

describe.each([dialect03, dialect1])("a message that wants notifications, in version $version", (dialect) => {
  const take = async ({ request, runs, push }: ReturnType<typeof watch>) =>
    await takeNotifying(config, request, { runs, push, dialect, owner });

  it("answers a task only once the events behind its answer are notified", async () => {
    const watched = watch("t");
    await take(watched);

    const writes = watched.written.filter((name) => name !== "find");
    expect(writes).toEqual(["check", "set from now on", "answer"]);
  });

  it("begins a task, and notifies of its events from the start", async () => {
    const watched = watch(undefined);
    await take(watched);

    expect(watched.written).toEqual(["check", "begin", "set from the start"]);
  });

  it.each<[fault: Fault, taskId: string | undefined, written: string[]]>([
    ["check", "t", ["check"]],
    ["find", "t", ["check", "find"]],
    ["set", "t", ["check", "find", "set from now on"]],
    ["check", undefined, ["check"]],
    ["begin", undefined, ["check", "begin"]],
    ["set", undefined, ["check", "begin", "set from the start"]],
  ])("writes nothing behind the step that fails: %s of the task %s", async (fault, taskId, written) => {
    const watched = watch(taskId, fault);

    await expect(take(watched)).rejects.toThrow(`no ${fault}`);
    expect(watched.written).toEqual(written);
  });
});
