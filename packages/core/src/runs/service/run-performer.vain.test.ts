import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { putAnswer, putCancel } from "../record/answers.ts";
import { runnableOf } from "./test/asking-runnable.ts";
import { attempt, processOf } from "./test/performing.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Performs a run whose first attempt finished a step, and after which this many attempts finished none. */
async function performAfter(vainAttempts: number, reason?: string) {
  let starts = 0;
  const agent = runnableOf(async function* (journal, { signal }) {
    starts += 1;
    yield { type: "text", text: "Half" };
    journal.begin("m/1");
    await journal.durable.newWork.before();
    if (signal?.aborted === true) throw new TroupeError("cancelled", "The run was aborted.");
    return "";
  });
  const done: LogEntry = { t: "done", step: "m/0", value: "kept", ms: 1 };
  const vain = Array.from({ length: vainAttempts }, (_, index) => [attempt(index + 2)]);
  const { perform, read, parts } = await processOf(agent, { log: [[attempt(1), done], ...vain] });
  if (reason !== undefined) await putCancel(parts.store.storage, "r", reason);
  await perform();
  const { status, error } = (await read()) ?? {};
  return { starts, status, code: error?.code, message: error?.message };
}

it.each([
  { vain: 1, status: "completed", code: undefined, starts: 1 },
  { vain: 2, status: "completed", code: undefined, starts: 1 },
  { vain: 3, status: "error", code: "crashed", starts: 1 },
  { vain: 4, status: "error", code: "crashed", starts: 1 },
  { vain: 5, status: "error", code: "crashed", starts: 0 },
])("after $vain attempts in vain a run starts $starts times more and is $status", async ({ vain, ...expected }) => {
  expect(await performAfter(vain)).toMatchObject(expected);
});

it("a cancelled run ends as cancelled, also after too many attempts in vain", async () => {
  for (const vain of [3, 5]) {
    expect(await performAfter(vain, "Enough.")).toMatchObject({
      status: "cancelled",
      code: "cancelled",
      message: "The run was cancelled: Enough.",
    });
  }
});

it("a run that waits for an answer after attempts in vain goes on with the answer", async () => {
  const agent = runnableOf(async function* (journal) {
    yield { type: "text", text: "Half" };
    const step = journal.begin("t/0");
    const answer = await journal.wait("t/0", { kind: "input", about: {} });
    step.done(answer);
    return "Done.";
  });
  const wait: LogEntry = { t: "wait", wait: { id: "t.0.input", kind: "input", about: {} }, performedMs: 1 };
  const log = [[attempt(1), wait], [attempt(2)], [attempt(3)]];
  const { perform, read, parts } = await processOf(agent, { log });
  // Each attempt comes to the known wait again, finishes nothing and does not die.
  for (const activation of [1, 2, 3, 4, 5]) {
    await perform({ runId: "r", activation });
    expect(await read()).toMatchObject({ status: "waiting", waits: [{ id: "t.0.input" }] });
    await parts.store.wake("r");
  }
  await putAnswer(parts.store.storage, { runId: "r", waitId: "t.0.input" }, { result: 7 });
  await perform({ runId: "r", activation: 6 });
  expect(await read()).toMatchObject({ status: "completed" });
});
