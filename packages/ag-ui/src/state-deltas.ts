import type { RunEvent } from "@troupe/core/runs";
import type { ServedWorkflow } from "@troupe/core/service";
import { toPublicStateChange } from "@troupe/core/transport";
import { toPointer } from "./event-values.ts";

/** A change of the state as an operation of JSON Patch. */
type Operation = { readonly op: "add"; readonly path: string; readonly value: unknown };

/**
 * Makes the changes of a workflow's state from the events of its run. The items of a `forEach` come as they end, in any
 * order: each is inserted where it belongs among the earlier items.
 */
export class StateDeltas {
  readonly #steps: NonNullable<ServedWorkflow["plannedSteps"]>;
  /** The numbers of the items that have ended, by the name of their `forEach`. */
  readonly #ended = new Map<string, number[]>();

  constructor({ plannedSteps = [] }: Pick<ServedWorkflow, "plannedSteps"> = {}) {
    this.#steps = plannedSteps;
  }

  /** Returns the change of the workflow's state that an event of its run contains, as operations of JSON Patch. */
  take(event: RunEvent): Operation[] {
    const change = toPublicStateChange(event, this.#steps);
    if (change === undefined) return [];
    if ("keys" in change)
      return Object.entries(change.keys).map(([key, value]) => ({ op: "add", path: toPointer(key), value }));
    const { list, index, value } = change;
    return index === undefined ? this.#begin(list) : this.#insert(list, index, value);
  }

  /** A `forEach` in a loop begins again in each round. */
  #begin(name: string): Operation[] {
    this.#ended.set(name, []);
    return [{ op: "add", path: toPointer(name), value: [] }];
  }

  #insert(name: string, index: number, value: unknown): Operation[] {
    const ended = this.#ended.get(name);
    if (ended === undefined || ended.includes(index)) return [];
    const place = ended.filter((other) => other < index).length;
    ended.push(index);
    return [{ op: "add", path: `${toPointer(name)}/${place}`, value }];
  }
}
