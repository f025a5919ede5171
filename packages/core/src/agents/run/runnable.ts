import type { EventBus } from "../../base/events/event-bus.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { PartialValue } from "./stream-views.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunOpts } from "./run-options.ts";
import type { RunOutput } from "./run-output.ts";

/** The type of the structured answer in an output. */
type StructuredIn<Output> = Output extends { structured?: infer Structured } ? NonNullable<Structured> : unknown;

/**
 * A run that streams. It starts when the iterator is first pulled or `output` is first awaited. A reader that pauses also
 * pauses the run, even when its output is awaited: read on, or leave the iterator.
 */
export interface RunStream<Output = RunOutput> extends AsyncIterable<StreamChunk> {
  readonly runId: string;
  /** The whole output. Awaiting it drives the run. Its rejection is never unhandled. */
  readonly output: Promise<Output>;
  /**
   * The texts of the answer, in place of the chunks: a single pass that drives the run as reading the chunks does. A
   * stream has one reader: a second one, of the chunks or of `objectStream`, is refused as `conflict`.
   */
  readonly textStream: AsyncIterable<string>;
  /**
   * The values of a structured answer as the model writes it, in place of the chunks, each growing from the one before,
   * and at last `structured` of the output. Strings may be cut, properties may be missing, and nothing has been checked
   * but the last value. When an answer does not fit its schema and is repaired, the values begin anew from the next one:
   * show the newest alone. With output guardrails, and where the answer is another run's, there is only the last value.
   * A run whose answer is not structured is refused as `invalid_config`.
   */
  readonly objectStream: AsyncIterable<PartialValue<StructuredIn<Output>>>;
  /** Ends the run as cancelled. */
  cancel(reason?: string): void;
}

/**
 * Anything with a name that can be run. A run ends exactly once: with its output, or with a `RunError` that carries the
 * output until then. Leaving a stream early, its `cancel` and the caller's signal end the run as cancelled. The usage of a run
 * with a `parent` counts for that run too, and it ends when the parent run ends.
 */
export interface Runnable<Output = RunOutput> {
  readonly name: string;
  /** The purpose, shown in cards and listings. Never derived from instructions. */
  readonly description?: string | undefined;
  readonly kind: "agent" | "team" | "workflow" | "remote";
  readonly eventBus: EventBus<RunEvents>;
  /**
   * The effect of a run of a third party's runnable, of which a durable run does not see the steps: it makes a child run that
   * was cut off again where this is `pure` or `idempotent`, and asks first where it is `once`. @default "once"
   */
  readonly effect?: ToolEffect | undefined;
  run(input: MessageContent, opts?: RunOpts): Promise<Output>;
  stream(input: MessageContent, opts?: RunOpts): RunStream<Output>;
}
