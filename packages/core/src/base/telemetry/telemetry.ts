import type { LogFields } from "../log/logger.ts";
import { methodsOption } from "../errors/option-checks.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import type { OperationEvent, Operations } from "./operations.ts";

/** The context of a span in the form of W3C Trace Context, for a record or another process. */
export type TraceContext = { readonly traceparent: string; readonly tracestate?: string };

/**
 * The trace contexts for the next run that has no parent run: contexts to which the run's span belongs or is linked.
 */
export type ParentTraceContexts = {
  /**
   * The trace context sent by a client. It becomes the parent of the run if the host trusts clients, otherwise a
   * link.
   */
  readonly caller?: TraceContext | undefined;
  /** The trace context in the record of a durable run. It always becomes the parent of the run. */
  readonly stored?: TraceContext | undefined;
  /** The trace context of the previous attempt at a durable run, which becomes a link. */
  readonly previous?: TraceContext | undefined;
};

/** An operation in progress. */
export interface OngoingOperation<Name extends keyof Operations> {
  /** Runs a function while the operation's span is active, so that spans created in it become children. */
  run<Result>(work: () => Result): Result;
  /** Records an event within the operation. */
  note(note: OperationEvent): void;
  /** Returns the context of the operation's span; undefined if the span is not recorded. */
  context(): TraceContext | undefined;
  /** Ends the operation. Only the first end counts. */
  end(end: Operations[Name]["end"]): void;
}

/** The measurements outside of operations, each with its facts. */
export type Measurements = {
  /** A stream of events to a client has been opened (1) or closed (-1). */
  readonly stream: { readonly by: 1 | -1 };
  /** A run was refused, because the queue is full or the caller has used its share of the queue. */
  readonly refusal: { readonly reason: string };
  /** A run has waited for its session. */
  readonly "session.wait": { readonly ms: number };
  /** A durable run has waited to be performed. */
  readonly "queue.wait": { readonly ms: number };
  /** An MCP session has ended: in order, or because its connection was lost. */
  readonly "mcp.session": {
    readonly side: "client" | "server";
    readonly ms: number;
    readonly transport: "tcp" | "pipe";
    readonly protocolVersion?: string | undefined;
    readonly isLost?: boolean;
  };
};

/** The values that telemetry reads whenever metrics are collected. */
export type GaugeValues = {
  /** The number of durable runs that wait to be performed. */
  readonly "queue.depth": number;
  /** The number of seconds for which the oldest run in the queue has been ready to be performed; 0 if no run waits. */
  readonly "queue.age": number;
};

/**
 * Receives the operations of agents, teams, workflows and services, made by `createTelemetry` of `@troupe/otel`. Core
 * calls it around a run, a model call, a tool call, a step, a retrieval and a memory operation. No method may throw.
 */
export interface Telemetry {
  /** Begins an operation, as a child of the active operation. */
  begin<Name extends keyof Operations>(name: Name, facts: Operations[Name]["begin"]): OngoingOperation<Name>;
  /**
   * Adds usage to the active operation that no model call of this process has reported, such as the usage of a remote
   * agent.
   */
  addUsage(usage: TokenUsage): void;
  /** Records a measurement outside of operations. */
  measure<Name extends keyof Measurements>(name: Name, facts: Measurements[Name]): void;
  /**
   * Calls `read` for the current value whenever metrics are collected; undefined is not recorded. Returns the function
   * that ends these calls.
   */
  observe(name: keyof GaugeValues, read: () => Promise<number | undefined>): () => void;
  /** Returns the headers that pass the active span on to another service; an empty object without a span. */
  headers(): Readonly<Record<string, string>>;
  /** Returns telemetry whose next run without a parent run belongs to these trace contexts. */
  continueFrom(origin: ParentTraceContexts): ContinuedTelemetry;
  /** Fields of a log entry that are read when the entry is written: the ids of the active trace and span. */
  readonly logFields: LogFields;
}

/** Telemetry that continues the trace contexts of another process. */
export interface ContinuedTelemetry extends Telemetry {
  /** The trace context of the run that began with this telemetry; undefined until then. */
  readonly begun: TraceContext | undefined;
}

/** Option check for `telemetry`. */
export const telemetryOption = methodsOption<Telemetry>(
  "telemetry such as createTelemetry()",
  "begin",
  "addUsage",
  "measure",
  "observe",
  "headers",
  "continueFrom",
);
