import type { EventBus } from "../events/event-bus.ts";
import type { MessageContent } from "../message/content.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunOpts } from "./run-options.ts";
import type { RunOutput } from "./run-output.ts";

/**
 * A run that streams. It starts when the iterator is first pulled or `output` is first awaited. Whoever has begun to read
 * goes on or leaves: a reader that only stops holds the run up, also for those who wait for its output.
 */
export interface RunStream<Structured = unknown> extends AsyncIterable<StreamChunk> {
  readonly runId: string;
  /** The whole result; awaiting it drives the run by itself. Its rejection is never unhandled. */
  readonly output: Promise<RunOutput<Structured>>;
  /** Ends the run as cancelled. */
  cancel(reason?: string): void;
}

/**
 * Anything with a name that can be run. A run ends exactly once: with its output, or with a `RunError` that carries what
 * there was. Leaving a stream early, its `cancel` and the caller's signal end the run as cancelled. A run that is given a
 * `parent` bills to its account what it costs, and ends with it.
 */
export interface Runnable<Structured = unknown> {
  readonly name: string;
  /** What it is for: shown in cards and listings, never derived from instructions. */
  readonly description?: string | undefined;
  readonly kind: "agent" | "team" | "workflow" | "remote";
  readonly eventBus: EventBus<RunEvents>;
  run(input: MessageContent, opts?: RunOpts): Promise<RunOutput<Structured>>;
  stream(input: MessageContent, opts?: RunOpts): RunStream<Structured>;
}
