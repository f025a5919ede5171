import type { RunService } from "@troupe/core/runs";
import type { InspectedModelCall } from "./inspected-run.ts";
import { toShownJson } from "./shown-json.ts";

/** Largest number of characters of all model calls that are kept. */
const mostCharacters = 16_000_000;

/** A model call, as a `RunService` reports it. */
export type Noted = Parameters<Parameters<RunService["modelCalls"]["on"]>[1]>[0];

/**
 * The newest model calls of this process as they were sent, in memory. A call is kept in the bounded form in which it is
 * shown, so that neither long messages nor files fill the memory, and without options that could hold a key.
 */
export class ModelCalls {
  /** The calls as JSON, oldest first. */
  readonly #kept = new Map<string, string>();
  readonly #most: number;
  #characters = 0;

  constructor(runs: Pick<RunService, "modelCalls">, most = mostCharacters) {
    this.#most = most;
    runs.modelCalls.on("begin", (call) => this.#keep(call));
  }

  /** Returns the JSON of the model call that a step of a run has made. A repeated step has its last call. */
  find(runId: string, step: string): string | undefined {
    return this.#kept.get(keyOf(runId, step));
  }

  #keep(call: Noted): void {
    const key = keyOf(call.runId, call.step);
    this.#remove(key);
    const json = JSON.stringify(toInspected(call));
    this.#kept.set(key, json);
    this.#characters += json.length;
    for (const [oldest] of this.#kept) {
      if (this.#characters <= this.#most) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#characters -= this.#kept.get(key)?.length ?? 0;
    this.#kept.delete(key);
  }
}

function keyOf(runId: string, step: string): string {
  return `${runId} ${step}`;
}

function toInspected({ model, isStream, settings, messages, tools }: Noted): InspectedModelCall {
  const { providerId, modelId } = model;
  const sent = messages();
  return {
    providerId,
    modelId,
    isStream,
    settings: toShownJson(withoutUndefined(settings)),
    system: sent.flatMap(({ role, content }) => (role === "system" ? [toShownJson(content)] : [])),
    messages: sent.flatMap((message) => (message.role === "system" ? [] : [toShownJson(withoutUndefined(message))])),
    tools: tools().map(({ name, description, parameters }) => toShownJson({ name, description, parameters })),
  };
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
