import { createContextKey, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, Context, Span } from "@opentelemetry/api";
import type { TokenUsage } from "@troupe/core";
import type { OngoingOperation, OperationEvent, Operations, TraceContext } from "@troupe/core/service";
import type { ContentRules } from "./content.ts";
import type { Instruments } from "./instruments.ts";
import { attributes as names, eventNames, operationNames, providerName } from "./names.ts";
import { spanContents } from "./span-content.ts";
import { spanEnds } from "./span-ends.ts";
import { defined, memoryOperation, usageAttributes } from "./span-facts.ts";
import type { RunState, SpanRules } from "./span-facts.ts";
import { toTraceContext } from "./trace-context.ts";

type CounterName = Exclude<keyof TokenUsage, "providerMetrics">;

/** The key under which a context holds its active operation. */
const activeKey = createContextKey("the active operation of Troupe");

/** Returns the active operation of a context. */
export function activeOperation(context: Context): OpenSpan<keyof Operations> | undefined {
  return context.getValue(activeKey) as OpenSpan<keyof Operations> | undefined;
}

/** The parts from which an open span is made. */
export type OpenSpanInit<Name extends keyof Operations> = {
  readonly name: Name;
  readonly facts: Operations[Name]["begin"];
  readonly span: Span;
  /** The context around the operation. */
  readonly parent: Context;
  /** Runs a function while a context of OpenTelemetry is active. */
  readonly within: <Result>(context: Context, work: () => Result) => Result;
  /** The run that the operation belongs to. An operation that is a run belongs to itself. */
  readonly run: RunState | undefined;
  readonly rules: SpanRules;
  /** The rules for recording content; undefined if content is not recorded. */
  readonly content: ContentRules | undefined;
  readonly instruments: Instruments;
};

/** The span of an operation in progress, and the facts for its metrics. */
export class OpenSpan<Name extends keyof Operations> implements OngoingOperation<Name> {
  readonly runState: RunState | undefined;
  readonly content: ContentRules | undefined;
  readonly #init: OpenSpanInit<Name>;
  readonly #context: Context;
  readonly #startedAt = performance.now();
  #firstChunkAt: number | undefined;
  #lastChunkAt = 0;
  /** The metric labels that all chunks of the call share. Made once, because a call may have thousands of chunks. */
  #chunkLabels: Attributes | undefined;
  #added: TokenUsage | undefined;
  #isOver = false;

  constructor(init: OpenSpanInit<Name>) {
    const { parent, span, run, content } = init;
    this.#init = init;
    this.runState = run;
    this.content = content;
    this.#context = trace.setSpan(parent, span).setValue(activeKey, this);
  }

  run<Result>(work: () => Result): Result {
    return this.#init.within(this.#context, work);
  }

  context(): TraceContext | undefined {
    return toTraceContext(this.#init.span.spanContext());
  }

  note(note: OperationEvent): void {
    const { span, instruments } = this.#init;
    switch (note.type) {
      case "chunk":
        return this.#noteChunk();
      case "attempt":
        return void span.addEvent(eventNames.attempt, attemptAttributes(note, this.#init.rules));
      case "wait":
        instruments.waits.add(1, { [names.waitKind]: note.kind });
        return void span.addEvent(eventNames.wait, { [names.waitKind]: note.kind });
      default: {
        instruments.takeovers.add(1, { [names.takeoverKind]: note.kind });
        span.addEvent(eventNames.takeover, { [names.takeoverKind]: note.kind, [names.attempt]: note.attempt });
      }
    }
  }

  #noteChunk(): void {
    const now = performance.now();
    const { facts, instruments } = this.#init;
    if (this.#firstChunkAt === undefined) this.#firstChunkAt = now;
    else {
      this.#chunkLabels ??= modelLabels(facts as Operations["model"]["begin"]);
      instruments.inferencePerChunk.record((now - this.#lastChunkAt) / 1000, this.#chunkLabels, this.#context);
    }
    this.#lastChunkAt = now;
  }

  /** Adds usage that belongs to no model call of this process, such as the usage of a remote agent. */
  addUsage(usage: TokenUsage): void {
    const { span, rules } = this.#init;
    const added = this.#added;
    this.#added = added === undefined ? { ...usage } : sumOf(added, usage);
    span.setAttributes(usageAttributes(this.#added, rules));
  }

  end(facts: Operations[Name]["end"]): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { name, facts: begun, span, run, rules, content, instruments } = this.#init;
    const { attributes, errorType } = spanEnds[name](facts, begun, rules);
    const firstChunk = this.#firstChunkAt === undefined ? undefined : (this.#firstChunkAt - this.#startedAt) / 1000;
    if (span.isRecording()) {
      if (content !== undefined) span.setAttributes(spanContents[name]?.end?.(facts, content) ?? {});
      span.setAttributes(attributes);
      if (errorType !== undefined) {
        span.setAttribute(names.errorType, errorType);
        span.setStatus({ code: SpanStatusCode.ERROR, message: errorType });
      }
      if (firstChunk !== undefined) span.setAttribute(names.timeToFirstChunk, firstChunk);
    }
    const durationMs = performance.now() - this.#startedAt;
    // The measurement is recorded in the span's context, so that exemplars refer to the span.
    const measured = {
      begun,
      ended: facts,
      duration: durationMs / 1000,
      firstChunk,
      errorType,
      run,
      context: this.#context,
    };
    measures[name](instruments, measured);
    span.end();
  }
}

type Measured<Name extends keyof Operations> = {
  readonly begun: Operations[Name]["begin"];
  readonly ended: Operations[Name]["end"];
  readonly duration: number;
  readonly firstChunk: number | undefined;
  readonly errorType: string | undefined;
  readonly run: RunState | undefined;
  /** The context of the operation's span. */
  readonly context: Context;
};

/**
 * The functions that record the metrics of each operation. No metric has an id as a label, because each id would add a
 * time series.
 */
const measures: {
  readonly [Name in keyof Operations]: (instruments: Instruments, measured: Measured<Name>) => void;
} = {
  run(instruments, { begun, ended, duration, errorType, run, context }) {
    const labels = defined({ [names.agentName]: begun.name, [names.errorType]: errorType });
    if (begun.kind !== "facts" && begun.kind !== "title") {
      instruments.runDuration.record(duration, labels, context);
      instruments.runModelCalls.record(run?.modelCalls ?? 0, labels, context);
      instruments.runToolCalls.record(run?.toolCalls ?? 0, labels, context);
    }
    const counted = { [names.agentName]: begun.name, [names.runKind]: begun.kind, [names.status]: ended.status };
    instruments.runs.add(1, counted, context);
  },
  model(instruments, { begun, ended, duration, firstChunk, errorType, context }) {
    const labels = modelLabels(begun, ended.answer?.model);
    instruments.addTokens(ended.usage, labels, context);
    const withError = errorType === undefined ? labels : { ...labels, [names.errorType]: errorType };
    instruments.inferenceDuration.record(duration, withError, context);
    if (firstChunk !== undefined) instruments.inferenceFirstChunk.record(firstChunk, withError, context);
  },
  tool(instruments, { begun, duration, errorType, context }) {
    // A model can invent any number of tool names, so the name of an unknown tool is not used: each name would become
    // another label value of the metric.
    const name = begun.isKnown ? begun.name : "unknown";
    const labels = defined({ [names.toolName]: name, [names.errorType]: errorType });
    instruments.toolDuration.record(duration, labels, context);
  },
  step: () => undefined,
  memory(instruments, { begun, duration, errorType, context }) {
    const labels = {
      [names.operation]: memoryOperation(begun.action),
      [names.memoryStore]: begun.store,
      [names.errorType]: errorType,
    };
    instruments.operationDuration.record(duration, defined(labels), context);
  },
  embeddings(instruments, { begun, duration, errorType, context }) {
    instruments.operationDuration.record(
      duration,
      defined({
        [names.operation]: operationNames.embeddings,
        [names.provider]: providerName(begun.model.providerId ?? "unknown"),
        [names.requestModel]: begun.model.modelId,
        [names.errorType]: errorType,
      }),
      context,
    );
  },
  retrieval(instruments, { begun, duration, errorType, context }) {
    instruments.operationDuration.record(
      duration,
      defined({
        [names.operation]: operationNames.retrieval,
        [names.dataSource]: begun.source,
        [names.errorType]: errorType,
      }),
      context,
    );
  },
  mcp(instruments, { begun, duration, errorType, context }) {
    const labels = defined({
      [names.mcpMethod]: begun.method,
      [names.toolName]: begun.toolName,
      [names.networkTransport]: begun.transport,
      [names.errorType]: errorType,
    });
    const { mcpClientDuration, mcpServerDuration } = instruments;
    (begun.side === "client" ? mcpClientDuration : mcpServerDuration).record(duration, labels, context);
  },
  accept: () => undefined,
};

function modelLabels({ model }: Operations["model"]["begin"], responseModel?: string): Attributes {
  return defined({
    [names.operation]: operationNames.model,
    [names.provider]: providerName(model.providerId),
    [names.requestModel]: model.modelId,
    [names.responseModel]: responseModel,
  });
}

function attemptAttributes(note: Extract<OperationEvent, { type: "attempt" }>, rules: SpanRules): Attributes {
  return defined({
    [names.attempt]: note.attempt,
    [names.provider]: providerName(note.providerId),
    [names.requestModel]: note.modelId,
    [names.attemptDuration]: note.durationMs / 1000,
    [names.errorType]: note.error,
    ...(note.usage !== undefined && usageAttributes(note.usage, rules)),
  });
}

function sumOf(one: TokenUsage, other: TokenUsage): TokenUsage {
  const sum = { ...one };
  for (const [name, tokens] of Object.entries(other) as [CounterName, unknown][]) {
    if (typeof tokens === "number") sum[name] = (one[name] ?? 0) + tokens;
  }
  return sum;
}
