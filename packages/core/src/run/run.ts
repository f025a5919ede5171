import type { TroupeError } from "../errors/troupe-error.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import { selectKey } from "../keys/select-key.ts";
import type { Logger } from "../log/logger.ts";
import type { MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { UnfinishedStep } from "../history/interrupted-turn.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunSettings } from "./run-options.ts";
import type { RunMetrics, RunOutput } from "./run-output.ts";
import { UsageMeter } from "./usage-meter.ts";

/**
 * Constructor options of a `Run`: the runnable's name and model, the input, the checked settings, the event bus and the
 * logger.
 */
export type RunInit = {
  readonly name: string;
  readonly input: MessageContent;
  readonly settings: RunSettings;
  readonly eventBus: EventBus<RunEvents>;
  readonly logger: Logger;
  readonly model?: { readonly providerId: string; readonly modelId: string } | undefined;
};

/**
 * One run while it is executed: its settings, usage and events, and the record of its answer so far. Hooks, tools and
 * guardrails see only its `context`: `runOf` finds the run of a context, and nothing that they can reach does.
 */
export class Run<Structured = unknown> {
  readonly runId: string;
  readonly settings: RunSettings;
  readonly eventBus: EventBus<RunEvents>;
  readonly context: RunContext;
  /** Aborts when the run ends before its time. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly meter: UsageMeter;
  /** The user's input. Guardrails and hooks may replace it before the model is called. */
  input: MessageContent;
  /** The answer so far: the text of the last model call. */
  text = "";
  thinking = "";
  structured: Structured | null = null;
  responseId: string | undefined;
  readonly toolCalls: ToolCallResult[] = [];
  /** The messages after the input. */
  readonly messages: ChatMessage[] = [];
  /** The tool calls that are under way. */
  unfinishedStep: UnfinishedStep | undefined;
  readonly #init: RunInit;
  readonly #abort: AbortController;
  #createdAt = Date.now();
  #startedAt = performance.now();
  #endsAt = Infinity;
  #firstTokenMs: number | undefined;

  /** @param within the run whose auxiliary call this one is for: they share everything but the record */
  constructor(init: RunInit, within?: Run) {
    const { settings, eventBus, input } = init;
    this.#init = init;
    this.runId = settings.runId;
    this.settings = settings;
    this.eventBus = eventBus;
    this.input = within?.input ?? input;
    this.#abort = within === undefined ? new AbortController() : within.#abort;
    this.signal = this.#abort.signal;
    this.meter = within?.meter ?? new UsageMeter({ parent: settings.parentMeter });
    this.logger = within?.logger ?? loggerFor(init);
    this.context = within?.context ?? contextOf(this, init);
  }

  /** The deadline of the run by the monotonic clock, in milliseconds. */
  get endsAt(): number {
    return this.#endsAt;
  }

  /** Starts the clock. */
  start(): void {
    this.#createdAt = Date.now();
    this.#startedAt = performance.now();
    this.#endsAt = this.#startedAt + this.settings.limits.durationMs;
  }

  /** Aborts the signal, for `RunExecution`, which ends the run: call its `cancel` to cancel a run. */
  abort(reason: TroupeError): void {
    this.#abort.abort(reason);
  }

  /**
   * Returns a view of this run with a record of its own, for an auxiliary model call: one whose answer is no part of the
   * run's answer, such as the choice of a team's member. Its usage, events and signal are those of the run.
   */
  forAuxiliaryCall<Answer>(): Run<Answer> {
    return new Run<Answer>(this.#init, this);
  }

  /** Returns the caller's key for a vendor, if there is one. */
  keyFor(providerId: string | undefined): string | undefined {
    return providerId === undefined ? undefined : selectKey(this.settings.apiKeys, providerId);
  }

  /** Emits an event with the ids of the run, if anything listens to it. */
  emit<Name extends keyof RunEvents>(name: Name, data: Omit<RunEvents[Name], "runId" | "parentRunId">): void {
    if (!this.eventBus.has(name)) return;
    const { runId, parentRunId } = this.settings;
    const ids = { runId, ...(parentRunId !== undefined && { parentRunId }) };
    this.eventBus.emit(name, { ...ids, ...data } as RunEvents[Name]);
  }

  /** Records the time of the first token. Later calls change nothing. */
  noteToken(): void {
    this.#firstTokenMs ??= performance.now() - this.#startedAt;
  }

  /** Returns the record so far, as the output of a run with this status. */
  toOutput(status: "completed" | "error"): RunOutput<Structured> {
    const { name, model } = this.#init;
    const { runId, sessionId, userId } = this.settings;
    const metrics = this.#metrics();
    return {
      text: this.text,
      toolCalls: [...this.toolCalls],
      usage: this.meter.total,
      structured: this.structured,
      ...(this.thinking !== "" && { thinking: this.thinking }),
      ...timesOf(metrics),
      runId,
      agentName: name,
      sessionId,
      ...(userId !== undefined && { userId }),
      ...(model !== undefined && { model: model.modelId, modelProvider: model.providerId }),
      status,
      createdAt: this.#createdAt,
      ...(this.responseId !== undefined && { responseId: this.responseId }),
      messages: [{ role: "user", content: this.input }, ...this.messages],
      metrics,
    };
  }

  #metrics(): RunMetrics {
    const { promptTokens, completionTokens, totalTokens } = this.meter.total;
    return {
      inputTokens: promptTokens,
      outputTokens: completionTokens,
      totalTokens,
      ...(this.#firstTokenMs !== undefined && { timeToFirstTokenMs: this.#firstTokenMs }),
      durationMs: performance.now() - this.#startedAt,
    };
  }
}

/**
 * The usage meter, deadline and session storage of a part of a run, such as a delegation or a workflow step: the child
 * runs that it starts get these in place of the run's own.
 */
export type RunScope = {
  /** A meter whose parent is the meter of the run. */
  readonly meter: UsageMeter;
  readonly endsAt?: number | undefined;
  readonly ephemeralStorage?: StorageDriver | undefined;
};

/** Values that a child run takes from the context of its parent run where its own options have none. */
export type Inheritance = {
  readonly parentRunId: string | undefined;
  readonly userId: string | undefined;
  readonly verified: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tenantId: string | undefined;
  readonly apiKeys: ApiKeys;
  readonly fromOutside: boolean;
  readonly meter: UsageMeter | undefined;
  readonly endsAt: number;
  readonly ephemeralStorage: StorageDriver | undefined;
};

let runIn: (context: object) => Run | undefined;
let scopeIn: (context: object) => RunScope | undefined;

/** A context with a private slot that leads to its run. A copy has no slot: runs started with it are no child runs. */
class ScopedContext {
  readonly #run: Run;
  readonly #scope: RunScope | undefined;

  constructor(facts: RunContext, run: Run, scope: RunScope | undefined) {
    Object.assign(this, facts);
    this.#run = run;
    this.#scope = scope;
  }

  // Handed out here and not as members: every context leads to its class, and the class must lead nowhere.
  static {
    runIn = (context) => (#run in context ? context.#run : undefined);
    scopeIn = (context) => (#scope in context ? context.#scope : undefined);
  }
}

/** Returns the run that a context belongs to, or undefined for a context that was copied or made by hand. */
export function runOf(context: RunContext): Run | undefined {
  return runIn(context);
}

/**
 * Makes the context of a part of a run, such as a tool call: a copy that leads to the same run and has further facts.
 * Child runs started with it get the meter, deadline and storage of the scope, if one is given.
 */
export function deriveContext<Facts extends object>(
  context: RunContext,
  facts: Facts,
  scope?: RunScope,
): RunContext & Facts {
  const run = runIn(context);
  const own = { ...context, ...facts };
  return run === undefined ? own : scoped(own, run, scope ?? scopeIn(context));
}

/**
 * Returns all that a child run inherits from the context of its parent run: the facts in the context and, if the
 * context leads to a run, that run's tenant, API keys, meter, deadline and storage. It is built nowhere else.
 */
export function inheritanceOf(context: RunContext): Inheritance {
  const { runId: parentRunId, userId, verified = true, metadata } = context;
  const run = runIn(context);
  if (run === undefined) return { ...inheritanceWithoutRun, parentRunId, userId, verified, metadata };
  const scope = scopeIn(context);
  const { tenantId, apiKeys, fromOutside, ephemeralStorage } = run.settings;
  return {
    parentRunId,
    userId,
    verified,
    metadata,
    tenantId,
    apiKeys,
    fromOutside,
    meter: scope?.meter ?? run.meter,
    endsAt: scope?.endsAt ?? run.endsAt,
    ephemeralStorage: scope?.ephemeralStorage ?? ephemeralStorage,
  };
}

/**
 * The part of an `Inheritance` that only a run can give, for a child run whose `parent` is a context without a run (copied
 * or made by hand), or that has no parent: no tenant, API keys, meter, deadline or storage.
 */
export const inheritanceWithoutRun = {
  tenantId: undefined,
  apiKeys: {},
  fromOutside: false,
  meter: undefined,
  endsAt: Infinity,
  ephemeralStorage: undefined,
};

function scoped<Facts extends RunContext>(facts: Facts, run: Run, scope?: RunScope): Facts {
  return new ScopedContext(facts, run, scope) as unknown as Facts;
}

function contextOf(run: Run, { name, settings }: RunInit): RunContext {
  const { runId, parentRunId, sessionId, userId, verified, metadata } = settings;
  const facts: RunContext = {
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    agentName: name,
    sessionId,
    ...(userId !== undefined && { userId }),
    ...(!verified && { verified }),
    metadata,
    signal: run.signal,
    logger: run.logger,
  };
  return scoped(facts, run);
}

function loggerFor({ logger, settings }: RunInit): Logger {
  return logger.withSecrets(Object.values(settings.apiKeys)).child({ runId: settings.runId });
}

function timesOf({
  timeToFirstTokenMs,
  durationMs,
}: RunMetrics): Pick<RunMetrics, "timeToFirstTokenMs" | "durationMs"> {
  return {
    ...(timeToFirstTokenMs !== undefined && { timeToFirstTokenMs }),
    ...(durationMs !== undefined && { durationMs }),
  };
}
