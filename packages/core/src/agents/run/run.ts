import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import { selectKey } from "../../model/keys/select-key.ts";
import type { LogFields, Logger } from "../../base/log/logger.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { SourceList } from "../../base/message/source.ts";
import type { Source } from "../../base/message/source.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { UnfinishedStep } from "../../sessions/history/interrupted-turn.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { eventIdsOf } from "./event-ids.ts";
import type { EventIds } from "./event-ids.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunSettings } from "./run-options.ts";
import type { OpenStep, RunSteps, StepKind, StepOptions } from "./run-steps.ts";
import type { RunMetrics, CompleteRunOutput } from "./run-output.ts";
import { ModelCallEvents } from "./model-call-events.ts";
import type { PartialAnswers } from "./stream-views.ts";
import { artifactsOf, contextOf, loggerFor } from "./run-facts.ts";
import type { RunInit } from "./run-facts.ts";
import { emitWarning } from "./run-warning.ts";
import { UsageMeter } from "./usage-meter.ts";

/**
 * One run in execution: its settings, usage and events, and its answer so far. Hooks, tools and guardrails see only its
 * `context`. The function `runOfContext` returns the run of a context; hooks and tools cannot reach the run in any other way.
 */
export class Run<Structured = unknown> {
  readonly runId: string;
  /** The settings of the run. Only `enterSession` replaces them. */
  settings: RunSettings;
  readonly eventBus: EventBus<RunEvents>;
  readonly context: RunContext & { sessionId: string };
  /** Signal that aborts when the run ends early. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly meter: UsageMeter;
  /** Emits the events of the run's model calls. */
  readonly modelCalls: ModelCallEvents;
  readonly steps: RunSteps;
  /** The user's input. Guardrails and hooks may replace it before the model is called. */
  input: MessageContent;
  /** The model that answered last; before the first answer, the runnable's own model. */
  model: RunInit["model"];
  /** The answer so far: the text of the last model call. */
  text = "";
  thinking = "";
  structured: Structured | null = null;
  responseId: string | undefined;
  readonly toolCalls: ToolCallResult[] = [];
  /** The messages of the run after its input. */
  readonly messages: ChatMessage[] = [];
  /** Vendor state that is stored with the turn, by the message to which it belongs. Created on first use. */
  vendorStates: Map<ChatMessage, VendorState> | undefined;
  /** The vendor states that a vendor rejected in this run. They are not sent again. */
  refusedStates: ReadonlySet<VendorState> | undefined;
  /**
   * Receives the text of a structured answer for the reader of `objectStream`; undefined if there is no such reader.
   */
  partialAnswers: PartialAnswers | undefined;
  /** False once an answer is delivered although its turn, or the turn of an agent step, could not be stored. */
  isStored = true;
  /** True once a tool of the run has returned numbered passages, so that the numbers in its answer are checked. */
  citesSources = false;
  /** The tool calls of the run that are in progress. */
  unfinishedStep: UnfinishedStep | undefined;
  /** The list of the run's sources. Created with the first source, because most answers have no sources. */
  #sources: SourceList | undefined;
  /** Sources of child runs that were not sent as a chunk yet. */
  #untold: Source[] | undefined;
  /** The codes of warnings that are given only once. Created on first use. */
  #warned: Set<string> | undefined;
  /** The generator of the run's event ids. Created with the first event that has a listener. */
  #eventIds: EventIds | undefined;
  readonly #init: RunInit;
  readonly #abort: AbortController;
  #createdAt = Date.now();
  #startedAt = performance.now();
  #endsAt = Infinity;
  /** Milliseconds that earlier attempts at a durable run have worked. */
  #performedMs = 0;
  #firstTokenMs: number | undefined;

  /**
   * @param within the run for which this run makes an auxiliary call. The two share everything except steps, messages
   * and answer
   */
  constructor(init: RunInit, within?: Run, steps: RunSteps = init.settings.steps) {
    const { settings, eventBus } = init;
    this.#init = init;
    this.runId = settings.runId;
    this.settings = settings;
    this.eventBus = eventBus;
    this.steps = steps;
    this.model = init.model;
    if (within === undefined) {
      this.input = init.input;
      this.#abort = new AbortController();
      this.signal = this.#abort.signal;
      this.meter = new UsageMeter({ parent: settings.parentMeter });
      this.logger = loggerFor(init);
      this.context = contextOf(this, init);
      this.modelCalls = new ModelCallEvents(eventBus, this.context);
    } else {
      this.input = within.input;
      this.#abort = within.#abort;
      this.signal = within.signal;
      this.meter = within.meter;
      this.modelCalls = within.modelCalls;
      this.logger = within.logger;
      this.context = within.context;
    }
  }

  /** The deadline of the run on the monotonic clock, in milliseconds. */
  get endsAt(): number {
    return this.#endsAt;
  }

  /** Starts the clock of the run, and sets its deadline. */
  start(): void {
    this.#createdAt = Date.now();
    this.#startedAt = performance.now();
    const { steps, parentRunId } = this.settings;
    if (parentRunId === undefined) this.#performedMs = steps.durable?.performedMs ?? 0;
    this.#endsAt = this.#startedAt + this.settings.limits.durationMs;
  }

  /**
   * Aborts the run's signal. Only `RunExecution`, which ends the run, calls this: to cancel a run, call its `cancel`.
   */
  abort(reason: TroupeError): void {
    this.#abort.abort(reason);
  }

  /**
   * Returns a view of this run that records its messages and answer separately, for an auxiliary model call. The answer
   * of such a call is not part of the run's answer; an example is the choice of a team's member. The view shares the
   * run's usage, events and signal. The keys of its steps begin with `key`.
   */
  forAuxiliaryCall<Answer>(key: string): Run<Answer> {
    return new Run<Answer>(this.#init, this, this.steps.part(key));
  }

  /**
   * Does the work of a step of the run. In a durable run a step is done once: a later process reads its value, with its
   * usage and sources, instead of doing the work.
   */
  // oxlint-disable-next-line max-params -- the shape of RunSteps
  step<Value>(
    key: string,
    kind: StepKind,
    work: (step?: OpenStep) => Value | Promise<Value>,
    options?: StepOptions<Value>,
  ): Value | Promise<Value> {
    return this.steps.step(key, kind, work, options);
  }

  /** Moves the run to another session of the same owner, before its session is opened. */
  enterSession(sessionId: string): void {
    this.settings = { ...this.settings, sessionId };
    this.context.sessionId = sessionId;
  }

  /** Returns the caller's API key for a vendor; undefined if the caller gave none. */
  keyFor(providerId: string | undefined): string | undefined {
    return providerId === undefined ? undefined : selectKey(this.settings.apiKeys, providerId);
  }

  /** Emits an event with the ids of the run, if the event has listeners. */
  emit<Name extends keyof RunEvents>(name: Name, data: Omit<RunEvents[Name], keyof EventIds>): void {
    if (!this.eventBus.has(name)) return;
    this.eventBus.emit(name, {
      ...(this.#eventIds ??= eventIdsOf(this.context)),
      ...data,
    } as unknown as RunEvents[Name]);
  }

  /**
   * Logs a warning at level `warn` and emits it as `run.warning`, also on the buses of all runs above. For failures
   * that do not end a run, and for options without effect. Background work may call it after the run has ended. An
   * `error` among the fields is logged whole; the event has only its code and public message.
   */
  warn(code: string, message: string, fields?: LogFields): void {
    const { eventBus, logger, settings } = this;
    const { parentBuses, apiKeys } = settings;
    const eventBuses = [eventBus, ...parentBuses];
    const ids = (this.#eventIds ??= eventIdsOf(this.context));
    emitWarning({ code, message, fields }, { logger, eventBuses, ids, secrets: Object.values(apiKeys) });
  }

  /** Emits a warning, unless the run has already warned with this code. */
  warnOnce(code: string, message: string, fields?: LogFields): void {
    const known = (this.#warned ??= new Set());
    if (known.has(code)) return;
    known.add(code);
    this.warn(code, message, fields);
  }

  /** The sources of all model calls so far, without duplicates. */
  get sources(): readonly Source[] {
    return this.#sources?.all ?? [];
  }

  /**
   * Records a source of an answer. Returns the source in the form in which it is shown, or undefined if it is already
   * known.
   */
  addSource(source: Source): Source | undefined {
    return (this.#sources ??= new SourceList()).add(source);
  }

  /** Records the sources of a whole answer, some of which its chunks may have recorded already. */
  addSources(sources: readonly Source[] | undefined): void {
    // A third party's provider or runnable may return anything.
    if (Array.isArray(sources)) for (const source of sources as readonly Source[]) this.addSource(source);
  }

  /**
   * Records the sources of a tool's result or of a child run's answer, because this run's answer may be based on them.
   * Returns their numbers among the run's sources, from 1. `takeSources` returns the new sources.
   */
  passOnSources(sources: readonly Source[] | undefined): readonly (number | undefined)[] {
    // A third party's runnable may return anything.
    if (!Array.isArray(sources) || sources.length === 0) return [];
    const known = this.sources.length;
    const list = (this.#sources ??= new SourceList());
    const numbers = (sources as readonly Source[]).map((source) => list.number(source));
    if (this.sources.length > known) (this.#untold ??= []).push(...this.sources.slice(known));
    return numbers;
  }

  /** Returns the sources of tools that were recorded since the last call and were not sent as a chunk. */
  takeSources(): readonly Source[] {
    return this.#untold?.splice(0) ?? [];
  }

  /** Records the time of the first token. Later calls have no effect. */
  noteToken(): void {
    this.#firstTokenMs ??= elapsedMs(this.#startedAt);
  }

  /** Returns everything that the run has recorded so far, as an output with this status. */
  toOutput(status: "completed" | "error", finishReason: FinishReason = "stop"): CompleteRunOutput<Structured> {
    const { name } = this.#init;
    const { model } = this;
    const { runId, sessionId, userId } = this.settings;
    const metrics = this.#metrics();
    const artifacts = artifactsOf(this.toolCalls);
    return {
      text: this.text,
      toolCalls: [...this.toolCalls],
      usage: this.meter.total,
      structured: this.structured,
      ...(this.thinking !== "" && { thinking: this.thinking }),
      durationMs: metrics.durationMs,
      ...(metrics.timeToFirstTokenMs !== undefined && { timeToFirstTokenMs: metrics.timeToFirstTokenMs }),
      runId,
      agentName: name,
      sessionId,
      ...(userId !== undefined && { userId }),
      ...(model !== undefined && { model: model.modelId, modelProvider: model.providerId }),
      status,
      createdAt: this.#createdAt,
      ...(this.responseId !== undefined && { responseId: this.responseId }),
      messages: [{ role: "user", content: this.input }, ...this.messages],
      ...(artifacts.length > 0 && { artifacts }),
      ...(this.sources.length > 0 && { sources: [...this.sources] }),
      metrics,
      ...this.#exceptions(finishReason),
    };
  }

  /** Returns the fields that an output has only if its answer is incomplete, or was not stored. */
  #exceptions(finishReason: FinishReason): Pick<CompleteRunOutput, "finishReason" | "stored"> {
    return { ...(finishReason !== "stop" && { finishReason }), ...(!this.isStored && { stored: false as const }) };
  }

  #metrics(): RunMetrics & { durationMs: number } {
    const { promptTokens, completionTokens, totalTokens } = this.meter.total;
    return {
      inputTokens: promptTokens,
      outputTokens: completionTokens,
      totalTokens,
      ...(this.#firstTokenMs !== undefined && { timeToFirstTokenMs: this.#firstTokenMs }),
      durationMs: elapsedMs(this.#startedAt) + this.#performedMs,
    };
  }
}
