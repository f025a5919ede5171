import type { RunEvent, RunKind } from "../../runs/record/run-view.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { StreamChunk } from "../../agents/run/stream-chunk.ts";
import type { WorkflowChunk } from "../../agents/workflow/workflow-result.ts";
import { toPublicChunk, toPublicWorkflowChunk } from "./public-chunk.ts";
import { toPublicWait, toStoredError } from "./public-run.ts";
import type { PublicWait } from "./public-run.ts";

/**
 * The facts about a run that determine how its events are shown. `isWhole` is true for a client that also wants the
 * journal's events.
 */
export type ShownRun = { readonly runId: string; readonly kind: RunKind; readonly isWhole?: boolean | undefined };

/** An event of a run's log, or a chunk of a run without a log, or the end of either run. */
type PublishableEvent =
  | Exclude<RunEvent, { type: "end" | "chunk" }>
  | { readonly type: "chunk"; readonly step?: string | undefined; readonly chunk: { readonly type: string } }
  | { readonly type: "end" };

/**
 * Returns the public form of an event of a run, with declared fields only; undefined if the client may not see it.
 * A client that wants all events also receives the journal step of each chunk, and the attempts, calls and results of
 * steps.
 */
export function toPublicEvent(event: PublishableEvent, run: ShownRun): object | undefined {
  switch (event.type) {
    case "chunk": {
      const chunk = toChunk(event.chunk, run.kind);
      return chunk !== undefined && run.isWhole === true && event.step !== undefined
        ? { ...chunk, journalStep: event.step }
        : chunk;
    }
    case "wait":
      return { type: "wait", runId: run.runId, ...toPublicWait(event.wait) } satisfies WaitEvent;
    case "end":
      return undefined;
    default:
      return run.isWhole === true ? toJournalEvent(event) : undefined;
  }
}

function toChunk(chunk: { readonly type: string }, kind: RunKind): object | undefined {
  return kind === "workflow"
    ? toPublicWorkflowChunk(chunk as WorkflowChunk<object>)
    : toPublicChunk(chunk as StreamChunk);
}

/** Matches the keys of steps that call a model, in a run or in a child run. */
const modelStep = /(?:^|\/)m\/\d+$/;

/**
 * Returns the error with which an event of a stored run ends a stream; undefined if the event does not end it. It is
 * the run's error, or `interrupted` if text that the client received is void because another attempt creates it again.
 * After `interrupted` the client can continue from this event. A client that wants all events receives the event
 * `reset` instead of `interrupted`.
 */
export function toStreamFailure(event: RunEvent, { runId, isWhole }: ShownRun): TroupeError | undefined {
  if (event.type === "end") return event.error && toStoredError(event.error, runId, event.output);
  if (event.type !== "reset" || isWhole === true || !modelStep.test(event.step)) return undefined;
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
