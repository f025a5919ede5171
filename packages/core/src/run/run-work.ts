import type { EventBus } from "../events/event-bus.ts";
import type { Logger } from "../log/logger.ts";
import type { MessageContent } from "../message/content.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { RunRequest } from "./read-run-opts.ts";
import type { RunContext } from "./run-context.ts";
import type { RunError } from "./run-error.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunOutput } from "./run-output.ts";
import type { RunRecord } from "./run-record.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** A run under way, as the work within it sees it. */
export type ActiveRun<Structured = unknown> = {
  readonly input: MessageContent;
  readonly request: RunRequest;
  readonly context: RunContext;
  readonly record: RunRecord<Structured>;
  readonly meter: UsageMeter;
};

/** How a run ended. */
export type RunEnd<Structured = unknown> = { output: RunOutput<Structured> } | { error: RunError };

/**
 * What one kind of runnable does within a run. The run sees to the rest: its events, its signal and limits, its one end.
 * When the run is aborted, what is going on here is left where it stands: nothing that comes of it counts any more.
 */
export interface RunWork<Structured = unknown> {
  /** Prepares, and returns what streams: it yields all chunks but `finish`, and returns why it ended. */
  begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>>;
  /** Makes a good end last. Nobody hears of the end before, and a rejection makes it a failure. */
  commit?(): Promise<void>;
  /** Makes what a failed run did last. What it throws is logged. */
  salvage?(): Promise<void>;
  /** Hears of the end, before everybody else does. What it throws is logged. */
  ended?(end: RunEnd<Structured>): void | Promise<void>;
  /** Gives back what the run held. */
  release?(): void;
}

/** What is run. */
export type RunSpec<Structured = unknown> = {
  name: string;
  input: MessageContent;
  request: RunRequest;
  eventBus: EventBus<RunEvents>;
  logger: Logger;
  model?: { readonly providerId: string; readonly modelId: string } | undefined;
  work: (run: ActiveRun<Structured>) => RunWork<Structured>;
};
