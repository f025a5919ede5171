import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { OngoingOperation } from "../../base/telemetry/telemetry.ts";
import type { ModelAttemptEnd, ReportModelAttempt, ReportModelCall } from "../../model/model-attempt.ts";
import { createId } from "../../base/util/create-id.ts";
import { eventIdsOf } from "./event-ids.ts";
import type { EventIds } from "./event-ids.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";

type CallAttempt = RunEvents["model.call"];

/**
 * Emits the events `model.call` and `model.result` of one run, a pair for each attempt at a model call. For attempts in
 * progress when the run ends, `model.result` is emitted before the end is announced; later results are not reported.
 */
export class ModelCallEvents {
  readonly #eventBus: EventBus<RunEvents>;
  readonly #context: RunContext;
  /** The functions that end the attempts in progress. Created with the first attempt that has a listener. */
  #open: Set<(end: ModelAttemptEnd) => void> | undefined;
  #isClosed = false;

  constructor(eventBus: EventBus<RunEvents>, context: RunContext) {
    this.#eventBus = eventBus;
    this.#context = context;
  }

  /**
   * Begins a model call and returns the function that reports its attempts, to listeners and to `operation`, the
   * telemetry of the call. Returns undefined if there are neither listeners nor telemetry.
   */
  begin(
    { providerId, modelId }: { providerId: string; modelId: string },
    operation?: OngoingOperation<"model">,
  ): ReportModelAttempt | undefined {
    if (operation === undefined && !this.#hasListener()) return undefined;
    const ids = { ...this.#newCall(), providerId, modelId };
    return (attempt) => this.#start({ ...ids, attempt }, operation);
  }

  /**
   * Begins the call of a model that calls other models. Returns the function that reports the calls of those models as
   * attempts at one call; undefined if there are neither listeners nor telemetry.
   */
  beginPassedOn(operation?: OngoingOperation<"model">): ReportModelCall | undefined {
    if (operation === undefined && !this.#hasListener()) return undefined;
    const ids = this.#newCall();
    let attempt = 0;
    return ({ providerId, modelId }) =>
      this.#start({ ...ids, providerId, modelId, attempt: (attempt += 1) }, operation);
  }

  /** When the run ends, ends the attempts at model calls in progress, with the run's error or else as `cancelled`. */
  close(failure?: TroupeError): void {
    for (const end of this.#open ?? []) end({ error: failure ?? overBeforeAnswer() });
    this.#isClosed = true;
  }

  #hasListener(): boolean {
    return this.#eventBus.has("model.call") || this.#eventBus.has("model.result");
  }

  #newCall(): EventIds & Pick<CallAttempt, "callId"> {
    return { ...eventIdsOf(this.#context), callId: createId() };
  }

  #start(attempt: CallAttempt, operation: OngoingOperation<"model"> | undefined): (end: ModelAttemptEnd) => void {
    if (this.#isClosed) return () => undefined;
    const open = (this.#open ??= new Set());
    const startedAt = performance.now();
    const end = (outcome: ModelAttemptEnd) => {
      if (!open.delete(end)) return;
      const result = toResult(attempt, outcome, performance.now() - startedAt);
      if (operation !== undefined) operation.note({ ...result, type: "attempt", error: result.error?.code });
      this.#eventBus.emit("model.result", result);
    };
    open.add(end);
    this.#eventBus.emit("model.call", attempt);
    return end;
  }
}

function overBeforeAnswer(): TroupeError {
  return new TroupeError("cancelled", "The run was over before the model had answered.");
}

function toResult(attempt: CallAttempt, end: ModelAttemptEnd, durationMs: number): RunEvents["model.result"] {
  if ("error" in end) {
    const { code, message } = toPublicError(end.error);
    return { ...attempt, durationMs, error: { code, message } };
  }
  const { usage, responseId } = end;
  // The usage is copied, because the run counts it and a handler could change it.
  return { ...attempt, usage: { ...usage }, durationMs, ...(responseId !== undefined && { responseId }) };
}
