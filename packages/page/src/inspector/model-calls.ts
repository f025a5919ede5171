import type { RunService } from "@troupe/core/runs";
import { ownerKey } from "@troupe/core/transport";
import type { InspectedModelCall } from "./inspected-run.ts";
import { toShownJson } from "./shown-json.ts";

/** Largest number of characters of all model calls that are kept. */
const mostCharacters = 16_000_000;

/** A model call, as a `RunService` reports it. */
export type Noted = Parameters<Parameters<RunService["modelCalls"]["on"]>[1]>[0];

/** A kept model call: the owner of its run, and the call as JSON. */
type Kept = { readonly owner: string; readonly json: string };

/**
 * The newest model calls of this process as they were sent, in memory. A call is kept in the bounded form in which it is
 * shown, so that neither long messages nor files fill the memory, and without options that could hold a key. If there
 * is no room, the owner with most characters loses the oldest calls, so that one busy owner cannot push out the others.
 */
export class ModelCalls {
  /** The calls by run and step, oldest first. */
  readonly #kept = new Map<string, Kept>();
  /** The number of characters of each owner's calls. */
  readonly #ofOwner = new Map<string, number>();
  readonly #most: number;
  #characters = 0;

  constructor(runs: Pick<RunService, "modelCalls">, most = mostCharacters) {
    this.#most = most;
    runs.modelCalls.on("begin", (call) => this.#keep(call));
  }

  /** Returns the JSON of the model call that a step of a run has made. A repeated step has its last call. */
  find(runId: string, step: string): string | undefined {
    return this.#kept.get(keyOf(runId, step))?.json;
  }

  #keep(call: Noted): void {
    const key = keyOf(call.runId, call.step);
    this.#remove(key);
    const owner = ownerKey(call.owner);
    const json = JSON.stringify(toInspected(call));
    this.#kept.set(key, { owner, json });
    this.#count(owner, json.length);
    while (this.#characters > this.#most) this.#removeOldestOf(this.#greatest(owner));
  }

  #remove(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#count(kept.owner, -kept.json.length);
  }

  #removeOldestOf(owner: string): void {
    for (const [key, kept] of this.#kept) if (kept.owner === owner) return this.#remove(key);
  }

  #count(owner: string, change: number): void {
    const characters = (this.#ofOwner.get(owner) ?? 0) + change;
    this.#characters += change;
    if (characters === 0) this.#ofOwner.delete(owner);
    else this.#ofOwner.set(owner, characters);
  }

  /** Returns the owner with most characters: the given owner, unless another owner has more. */
  #greatest(given: string): string {
    let greatest = given;
    for (const [owner, characters] of this.#ofOwner)
      if (characters > (this.#ofOwner.get(greatest) ?? 0)) greatest = owner;
    return greatest;
  }
}

function keyOf(runId: string, step: string): string {
  return `${runId} ${step}`;
}

function toInspected({ model, isStream, settings, messages, tools }: Noted): InspectedModelCall {
  const { providerId, modelId } = model;
  const sent = messages();
  const whole = {
    system: sent.flatMap(({ role, content }) => (role === "system" ? [content] : [])),
    messages: sent.flatMap((message) => (message.role === "system" ? [] : [withoutUndefined(message)])),
    tools: tools().map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
  const system = whole.system.map(toShownJson);
  const shown = { system, messages: whole.messages.map(toShownJson), tools: whole.tools.map(toShownJson) };
  return {
    providerId,
    modelId,
    isStream,
    settings: toShownJson(withoutUndefined(settings)),
    ...shown,
    ...(JSON.stringify(shown) !== JSON.stringify(whole) && { isCut: true }),
  };
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
