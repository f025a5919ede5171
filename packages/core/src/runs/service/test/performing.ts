import { expect, vi } from "vitest";
import { runnableOf } from "./asking-runnable.ts";
import { soon } from "./services.ts";
import { logRecord } from "../../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../../agents/journal/log-entry.ts";
import type { Runnable } from "../../../agents/run/runnable.ts";
import type { RunRecord } from "../../record/run-record.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import { RunPerformer } from "../../performer/run-performer.ts";
import { partsOf, record } from "../../processes/test/parts.ts";

/** The first job of the run. */
export const job = { runId: "r", activation: 1 };
/** The beginning of an attempt of another process in the log. */
export const attempt = (n: number): LogEntry => ({ t: "attempt", n, id: `${n}`, node: "gone", print: "" });
/** An agent that says one thing. */
export const talking = runnableOf(async function* () {
  yield await Promise.resolve({ type: "text" as const, text: "Hi." });
  return "Hi.";
});

type Stored = { run?: Partial<RunRecord> | null; log?: readonly (readonly LogEntry[])[] };

/** A process with the agent `a`, and a run of it. */
export async function processOf(agent: Runnable | undefined, { run = {}, log = [] }: Stored = {}) {
  const made = partsOf(agent && { agents: { a: agent } });
  const { parts, storage } = made;
  const stored = { ...record, plan: parts.printer.print(agent), ...run };
  if (run !== null) await parts.store.insert(stored);
  for (const [index, entries] of log.entries())
    await storage.set("run-log", `r/${String(index + 1).padStart(12, "0")}`, logRecord(entries) as unknown as Json);
  const { performing } = parts;
  const resubmit = vi.fn<(record: RunRecord) => void>();
  const performer = new RunPerformer(parts, resubmit);
  const { signal } = new AbortController();
  return {
    ...made,
    performing,
    resubmit,
    performer,
    perform: async (of = job, by = signal) => await soon(performer.perform(of, by)),
    read: async () => await parts.store.read("r"),
    open: async () => await storage.list("run-open"),
    logged: async () =>
      (await storage.list("run-log")).flatMap(({ value }) => (value as unknown as { entries: LogEntry[] }).entries),
  };
}

/** Checks that a job is handed back for a pause of this length, give or take a fifth. */
export function expectPause(back: unknown, ms: number): void {
  const { againInMs } = back as { againInMs: number };
  expect(Math.abs(againInMs - ms), `${againInMs} is about ${ms}`).toBeLessThanOrEqual(ms / 5);
}
