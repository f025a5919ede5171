import { drain } from "../../../base/async/drain.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RunWait } from "../../run/run-wait.ts";
import { RunPaused } from "../../run/run-paused.ts";
import { openJournal } from "../../journal/test/journals.ts";
import { createLogger } from "../../../base/log/logger.ts";
import type { ToolCallResult } from "../../../base/message/tool-call.ts";
import { deriveContext } from "../../run/derive-context.ts";
import type { RunEvents } from "../../run/run-events.ts";
import type { Run } from "../../run/run.ts";
import { testRun } from "../../run/test/test-run.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { executeToolCalls } from "../execute-tool-calls.ts";
import type { ToolBatchOptions } from "../execute-tool-calls.ts";
import { batchOf } from "./batch.ts";

/** The outcome of a batch of tool calls in one attempt: its results, or the waits at which the run stopped. */
export type BatchAttempt = {
  readonly run: Run;
  readonly journal: Journal;
  readonly results: readonly ToolCallResult[];
  readonly waits: readonly RunWait[];
  /** The names of the events of tools, each with the id of the call. */
  readonly events: readonly string[];
  readonly warnings: readonly RunEvents["run.warning"][];
  /** The lines of the log of the run. */
  readonly lines: readonly string[];
};

/** Executes a batch in a new attempt at the run whose log is in the storage, with these answers to its waits. */
export async function attemptBatch(
  storage: StorageDriver,
  batch: { tools: Parameters<typeof batchOf>[0] } & Pick<ToolBatchOptions, "calls"> &
    Partial<Omit<ToolBatchOptions, "tools">>,
  answers: Readonly<Record<string, Json>> = {},
): Promise<BatchAttempt> {
  const journal = await openJournal(storage, new Map(Object.entries(answers)));
  const lines: string[] = [];
  const logger = createLogger({ level: "info", color: false, write: (line) => lines.push(line) });
  const run = testRun({ steps: journal }, { logger });
  const events: string[] = [];
  const warnings: RunEvents["run.warning"][] = [];
  for (const name of ["tool.call", "tool.result"] as const) {
    run.eventBus.on(name, ({ toolCallId }) => events.push(`${name} ${toolCallId}`));
  }
  run.eventBus.on("run.warning", (warning) => warnings.push(warning));
  const context = deriveContext(run.context, { signal: journal.durable.signal });
  const { tools, calls, ...more } = batch;
  const options = batchOf(tools, calls, { ...more, context, eventBus: run.eventBus });
  const results = await drain(executeToolCalls(options)).catch((error: unknown) => {
    if (error instanceof RunPaused) return [];
    throw error;
  });
  if (journal.durable.stopped === undefined) await journal.flush();
  return { run, journal, results, waits: journal.durable.steps.waits, events, warnings, lines };
}

/** Begins a batch in an attempt that is left, as by a process that is killed: a later attempt overtakes it. */
export function abandonBatch(...batch: Parameters<typeof attemptBatch>): void {
  attemptBatch(...batch).catch((error: unknown) => {
    if (!(error instanceof RunPaused)) throw error;
  });
}
