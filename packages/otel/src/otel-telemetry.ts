import { AsyncLocalStorage } from "node:async_hooks";
import { context as contexts, isSpanContextValid, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Context, Link, Span, SpanContext, Tracer } from "@opentelemetry/api";
import type { TokenUsage } from "@troupe/core";
import type {
  ContinuedTelemetry,
  Measurements,
  GaugeValues,
  OngoingOperation,
  Operations,
  TraceContext,
  ParentTraceContexts,
} from "@troupe/core/service";
import type { ContentRules } from "./content.ts";
import type { Instruments } from "./instruments.ts";
import { attributes as names } from "./names.ts";
import { activeOperation, OpenSpan } from "./open-span.ts";
import { spanContents } from "./span-content.ts";
import { defined, spanStarts } from "./span-facts.ts";
import type { RunState, SpanRules } from "./span-facts.ts";
import { toSpanContext, toTraceContext } from "./trace-context.ts";

/** The parts that all telemetry of one `createTelemetry` shares. */
export type TelemetryParts = {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  readonly rules: SpanRules;
  /** True if a client's trace context becomes the parent of its run. */
  readonly trustsCallers: boolean;
  /** Largest size of one attribute with content in characters; undefined if content is not recorded. */
  readonly maxContentLength: number | undefined;
};

/**
 * The active context of this process, used if the host has registered no context manager, for example because it only
 * collects metrics.
 */
const ownContexts = new AsyncLocalStorage<Context>();

/** The telemetry of agents and services, recorded through the OpenTelemetry API. */
export class OtelTelemetry implements ContinuedTelemetry {
  readonly #parts: TelemetryParts;
  readonly #origin: ParentTraceContexts;
  #begun: TraceContext | undefined;

  constructor(parts: TelemetryParts, origin: ParentTraceContexts = {}) {
    this.#parts = parts;
    this.#origin = origin;
  }

  get begun(): TraceContext | undefined {
    return this.#begun;
  }

  begin<Name extends keyof Operations>(name: Name, facts: Operations[Name]["begin"]): OngoingOperation<Name> {
    const { tracer, instruments, rules, maxContentLength } = this.#parts;
    const active = activeContext();
    const { runState: outerRun, content: outerContent } = activeOperation(active) ?? {};
    const { parent, links } = this.#placeOf(name, facts, active);
    const start = spanStarts[name](facts, outerRun, rules);
    const { kind, attributes } = start;
    const span = tracer.startSpan(start.name, { kind, attributes, links }, parent);
    countIn(outerRun, name);
    const observed = name === "run" ? (facts as Operations["run"]["begin"]) : undefined;
    const run = observed === undefined ? outerRun : toRunState(observed);
    const content = contentOf(observed, { maxContentLength, outer: outerContent });
    if (content !== undefined) span.setAttributes(spanContents[name]?.begin?.(facts, content) ?? {});
    this.#noteBegun(observed, span);
    return new OpenSpan({ name, facts, span, parent, within, run, rules, content, instruments });
  }

  /** Stores the trace context of the first run without a parent run, for the getter `begun`. */
  #noteBegun(run: Operations["run"]["begin"] | undefined, span: Span): void {
    if (run !== undefined && run.parentRunId === undefined) this.#begun ??= toTraceContext(span.spanContext());
  }

  addUsage(usage: TokenUsage): void {
    activeOperation(activeContext())?.addUsage(usage);
  }

  measure<Name extends keyof Measurements>(name: Name, facts: Measurements[Name]): void {
    measures[name](this.#parts.instruments, facts);
  }

  observe(name: keyof GaugeValues, read: () => Promise<number | undefined>): () => void {
    return this.#parts.instruments.observe(name, read);
  }

  headers(): Readonly<Record<string, string>> {
    return toTraceContext(activeSpanContext()) ?? {};
  }

  continueFrom(origin: ParentTraceContexts): OtelTelemetry {
    return new OtelTelemetry(this.#parts, origin);
  }

  readonly logFields = {
    get trace_id(): string | undefined {
      return validSpanContext()?.traceId;
    },
    get span_id(): string | undefined {
      return validSpanContext()?.spanId;
    },
  };

  /** Returns the parent context and the links of an operation's span. */
  #placeOf<Name extends keyof Operations>(
    name: Name,
    facts: Operations[Name]["begin"],
    active: Context,
  ): { parent: Context; links: Link[] } {
    if (name === "run") {
      const { kind, parentRunId } = facts as Operations["run"]["begin"];
      // The runs that extract user facts or make a session's title follow a run that has already ended, so they get
      // their own trace and token counts.
      if (kind === "facts" || kind === "title") {
        return { parent: trace.deleteSpan(active), links: toLinks(trace.getSpanContext(active)) };
      }
      if (parentRunId !== undefined) return { parent: active, links: [] };
    } else if (name !== "accept" && name !== "mcp") return { parent: active, links: [] };
    return this.#placeOfRoot(active);
  }

  /** Returns the parent context and the links of an operation that has no parent in this process. */
  #placeOfRoot(active: Context): { parent: Context; links: Link[] } {
    const { stored, previous, caller } = this.#origin;
    const record = stored && toSpanContext(stored);
    if (record !== undefined) {
      return {
        parent: trace.setSpanContext(ROOT_CONTEXT, record),
        links: toLinks(previous && toSpanContext(previous)),
      };
    }
    const sent = caller && toSpanContext(caller);
    // With an active span, the host has already chosen the trace, so the client's context is ignored.
    if (sent === undefined || trace.getSpan(active) !== undefined) return { parent: active, links: [] };
    if (this.#parts.trustsCallers) return { parent: trace.setSpanContext(active, sent), links: [] };
    return { parent: active, links: toLinks(sent) };
  }
}

/** The functions that record measurements outside of operations. */
const measures: {
  readonly [Name in keyof Measurements]: (instruments: Instruments, facts: Measurements[Name]) => void;
} = {
  stream: ({ openStreams }, { by }) => openStreams.add(by),
  refusal: ({ refusals }, { reason }) => refusals.add(1, { [names.refusalReason]: reason }),
  "session.wait": ({ sessionWait }, { ms }) => sessionWait.record(ms / 1000),
  "mcp.session": ({ mcpClientSession, mcpServerSession }, { side, ms, transport, protocolVersion, isLost }) => {
    const labels = defined({
      [names.networkTransport]: transport,
      [names.mcpProtocolVersion]: protocolVersion,
      [names.errorType]: isLost ? "connection_lost" : undefined,
    });
    (side === "client" ? mcpClientSession : mcpServerSession).record(ms / 1000, labels);
  },
  "queue.wait": ({ queueWait }, { ms }) => queueWait.record(ms / 1000),
};

function toRunState({ name, sessionId }: Operations["run"]["begin"]): RunState {
  return { name, conversation: sessionId, modelCalls: 0, toolCalls: 0 };
}

/** Counts a model or tool call in its run. */
function countIn(run: RunState | undefined, name: keyof Operations): void {
  if (run === undefined) return;
  if (name === "model") run.modelCalls += 1;
  if (name === "tool") run.toolCalls += 1;
}

/**
 * Returns the rules for recording an operation's content. The rules of a run mask its API keys, in the run and in all
 * operations within it.
 */
function contentOf(
  run: Operations["run"]["begin"] | undefined,
  { maxContentLength: maxLength, outer }: { maxContentLength: number | undefined; outer: ContentRules | undefined },
): ContentRules | undefined {
  if (maxLength === undefined) return undefined;
  return run === undefined ? outer : { maxLength, redact: run.redact };
}

function toLinks(context: SpanContext | undefined): Link[] {
  return context === undefined || !isSpanContextValid(context) ? [] : [{ context }];
}

/**
 * Returns the active context of the host's context manager; without a context manager, the context that this package
 * stores.
 */
function activeContext(): Context {
  const active = contexts.active();
  return active === ROOT_CONTEXT ? (ownContexts.getStore() ?? active) : active;
}

/** Runs a function while a context of OpenTelemetry is active. */
function within<Result>(context: Context, work: () => Result): Result {
  return contexts.with(context, () => (contexts.active() === context ? work() : ownContexts.run(context, work)));
}

function activeSpanContext(): SpanContext | undefined {
  return trace.getSpanContext(activeContext());
}

function validSpanContext(): SpanContext | undefined {
  const context = activeSpanContext();
  return context !== undefined && isSpanContextValid(context) ? context : undefined;
}
