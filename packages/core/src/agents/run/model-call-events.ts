import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { ModelAttemptEnd, ReportModelAttempt, ReportModelCall } from "../../model/model-attempt.ts";
import { createId } from "../../base/util/create-id.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunSettings } from "./run-options.ts";

type Attempt = RunEvents["model.call"];

/**
 * Emits the events `model.call` and `model.result` of one run, a pair for each attempt at a model call. An attempt that is
 * under way when the run ends has its `model.result` before the end is announced; later ones are not reported.
 */
export class ModelCallEvents {
  readonly #eventBus: EventBus<RunEvents>;
  readonly #settings: Pick<RunSettings, "runId" | "parentRunId">;
  /** The functions that end the attempts under way. Made with the first one that anything listens to. */
  #open: Set<(end: ModelAttemptEnd) => void> | undefined;
  #isClosed = false;

  constructor(eventBus: EventBus<RunEvents>, settings: Pick<RunSettings, "runId" | "parentRunId">) {
    this.#eventBus = eventBus;
    this.#settings = settings;
  }

  /** Begins a model call, and returns the function that reports its attempts; undefined when nothing listens. */
  begin({ providerId, modelId }: { providerId: string; modelId: string }): ReportModelAttempt | undefined {
    if (!this.#hasListener()) return undefined;
    const ids = { ...this.#newCall(), providerId, modelId };
    return (attempt) => this.#start({ ...ids, attempt });
  }

  /**
   * Begins the call of a model that calls others, and returns the function that reports the calls of these, as attempts at
   * one call; undefined when nothing listens.
   */
  beginPassedOn(): ReportModelCall | undefined {
    if (!this.#hasListener()) return undefined;
    const ids = this.#newCall();
    let attempt = 0;
    return ({ providerId, modelId }) => this.#start({ ...ids, providerId, modelId, attempt: (attempt += 1) });
  }

  /** Ends the attempts that are under way when the run ends: of a run that failed with its error. */
  close(failure?: TroupeError): void {
    for (const end of this.#open ?? []) end({ error: failure ?? overBeforeAnswer() });
    this.#isClosed = true;
  }

  #hasListener(): boolean {
    return this.#eventBus.has("model.call") || this.#eventBus.has("model.result");
  }

  #newCall(): Pick<Attempt, "runId" | "parentRunId" | "callId"> {
    const { runId, parentRunId } = this.#settings;
    return { runId, ...(parentRunId !== undefined && { parentRunId }), callId: createId() };
  }

  #start(attempt: Attempt): (end: ModelAttemptEnd) => void {
    if (this.#isClosed) return () => undefined;
    const open = (this.#open ??= new Set());
    const startedAt = performance.now();
    const end = (outcome: ModelAttemptEnd) => {
      if (!open.delete(end)) return;
      this.#eventBus.emit("model.result", toResult(attempt, outcome, performance.now() - startedAt));
    };
    open.add(end);
    this.#eventBus.emit("model.call", attempt);
    return end;
  }
}

function overBeforeAnswer(): TroupeError {
  return new TroupeError("cancelled", "The run was over before the model had answered.");
}

function toResult(attempt: Attempt, end: ModelAttemptEnd, durationMs: number): RunEvents["model.result"] {
  if ("error" in end) {
    const { code, message } = toPublicError(end.error);
    return { ...attempt, durationMs, error: { code, message } };
  }
  const { usage, responseId } = end;
  // Copied: the run counts this usage, whatever a handler does with it.
  return { ...attempt, usage: { ...usage }, durationMs, ...(responseId !== undefined && { responseId }) };
}
