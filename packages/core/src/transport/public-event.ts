import type { RunEvent, RunKind } from "../runs/run-store/run-view.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ToolEffect } from "../base/message/tool-call.ts";
import type { StreamChunk } from "../agents/run/stream-chunk.ts";
import type { WorkflowChunk } from "../agents/workflow/workflow-result.ts";
import { toPublicChunk, toPublicWorkflowChunk } from "./public-chunk.ts";
import { toPublicWait, toRunError } from "./public-run.ts";
import type { PublicWait } from "./public-run.ts";

/** The facts about a run by which its events are shown: `isWhole` for a client that wants those of the journal too. */
export type ShownRun = { readonly runId: string; readonly kind: RunKind; readonly isWhole: boolean };

/**
 * Returns what a client may see of an event of a kept run, with declared fields alone, or undefined for nothing. A client
 * that wants all events gets the journal step of each chunk, and the attempts, calls and results of steps.
 */
export function toPublicEvent(event: RunEvent, run: ShownRun): object | undefined {
  switch (event.type) {
    case "chunk": {
      const chunk = toChunk(event.chunk, run.kind);
      return chunk !== undefined && run.isWhole ? { ...chunk, journalStep: event.step } : chunk;
    }
    case "wait":
      return { type: "wait", runId: run.runId, ...toPublicWait(event.wait) } satisfies WaitEvent;
    case "end":
      return undefined;
    default:
      return run.isWhole ? toJournalEvent(event) : undefined;
  }
}

function toChunk(chunk: { readonly type: string }, kind: RunKind): object | undefined {
  return kind === "workflow"
    ? toPublicWorkflowChunk(chunk as WorkflowChunk<object>)
    : toPublicChunk(chunk as StreamChunk);
}

/** The keys of steps that call a model, in a run or in a child run. */
const modelStep = /(?:^|\/)m\/\d+$/;

/**
 * Returns the error with which an event of a kept run ends a stream, undefined for one that does not: that of the run, or
 * `interrupted` for a client that was sent text which does not count, as another process makes it anew. Such a client goes on
 * behind this event.
 */
export function toStreamFailure(event: RunEvent, { runId, isWhole }: ShownRun): TroupeError | undefined {
  if (event.type === "end") return event.error && toRunError(event.error, runId, event.output);
  if (event.type !== "reset" || isWhole || !modelStep.test(event.step)) return undefined;
  const message =
    "Another attempt took over the run, and begins this part of the answer again. Drop its text, and read the events behind this one, or ask for the run by its id.";
  return new TroupeError("interrupted", message, { fields: { runId } });
}

/** An event with a question that the run waits for. */
export type WaitEvent = { type: "wait"; runId: string } & PublicWait;

/** An event of a run's journal, for a client that wants all events. */
export type JournalEvent =
  | { type: "attempt"; attempt: number; node: string }
  | { type: "reset"; journalStep: string }
  | { type: "call"; journalStep: string; toolName: string; args: unknown; effect: ToolEffect }
  | { type: "done"; journalStep: string; usage?: TokenUsage; durationMs: number };

function toJournalEvent(event: Extract<RunEvent, { type: JournalEvent["type"] }>): JournalEvent {
  switch (event.type) {
    case "attempt":
      return { type: "attempt", attempt: event.attempt, node: event.node };
    case "reset":
      return { type: "reset", journalStep: event.step };
    case "call":
      return {
        type: "call",
        journalStep: event.step,
        toolName: event.toolName,
        args: event.args,
        effect: event.effect,
      };
    default: {
      const usage = event.usage && { usage: event.usage };
      return { type: "done", journalStep: event.step, ...usage, durationMs: event.durationMs };
    }
  }
}
