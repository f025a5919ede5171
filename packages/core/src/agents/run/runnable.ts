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
 * A streaming run. It starts when a stream is first read or `output` is first awaited. A reader that pauses also pauses
 * the run, even if the output is awaited. To avoid that, continue reading, or leave the iterator.
 */
export interface RunStream<Output = RunOutput> extends AsyncIterable<StreamChunk> {
  readonly runId: string;
  /** The whole output. Awaiting it drives the run. A rejection never counts as unhandled. */
  readonly output: Promise<Output>;
  /**
   * The texts of the answer, instead of the chunks: a single pass, which drives the run in the same way as reading the
   * chunks. A stream has one reader: a second reader, of the chunks or of `objectStream`, is rejected as `conflict`.
   */
  readonly textStream: AsyncIterable<string>;
  /**
   * Partial values of a structured answer while the model writes it, instead of the chunks. Each extends the previous
   * value; the last is `structured` of the output. Strings may be incomplete, properties may be missing, and only the
   * last value is checked. If an answer does not fit its schema and is repaired, the values start again: show only the
   * newest value. With output guardrails, or if the answer comes from another run, only the last value is yielded. A
   * run without structured answer is rejected as `invalid_config`.
   */
  readonly objectStream: AsyncIterable<PartialValue<StructuredIn<Output>>>;
  /** Ends the streaming run as cancelled. */
  cancel(reason?: string): void;
}

/**
 * Anything with a name that can be run. A run ends exactly once: with its output, or with a `RunError` that carries the
 * output up to that point. Leaving a stream early, its `cancel` and the caller's signal end the run as cancelled. A run
 * with a `parent` adds its usage to the parent run and ends when the parent run ends.
 */
export interface Runnable<Output = RunOutput> {
  readonly name: string;
  /** The purpose, shown in cards and listings. Never derived from instructions. */
  readonly description?: string | undefined;
  readonly kind: "agent" | "team" | "workflow" | "remote";
  readonly eventBus: EventBus<RunEvents>;
  /**
   * The effect of running a third party's runnable, whose steps a durable run cannot store. An interrupted child run is
   * repeated if the effect is `pure` or `idempotent`; if it is `once`, a person is asked first. @default "once"
   */
  readonly effect?: ToolEffect | undefined;
  run(input: MessageContent, opts?: RunOpts): Promise<Output>;
  stream(input: MessageContent, opts?: RunOpts): RunStream<Output>;
}
