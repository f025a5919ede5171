import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { putCancel } from "../record/answers.ts";
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
    await journal.beforeWork();
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
