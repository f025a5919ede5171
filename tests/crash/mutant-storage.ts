import { setTimeout as sleep } from "node:timers/promises";
import type { StorageDriver } from "@troupe/core";
import { encodeSequence } from "@troupe/core/storage";
import { wrapAppend } from "./wrap-append.ts";
import type { Append } from "./wrap-append.ts";

const minuteMs = 60_000;

/** Storages that break one promise each, to prove that the checks find it. */
const mutants = {
  /** Acknowledges a turn and stores it a minute later. */
  hasty: (append, driver) => async (request) => {
    const stored = await driver.list(request.namespace, request.keyPrefix);
    const seq = stored.length + 1;
    void sleep(minuteMs, undefined, { ref: false }).then(async () => await append(request));
    return { key: request.keyPrefix + encodeSequence(seq), seq };
  },
  /** Stores each turn twice. */
  doubling: (append) => async (request) => {
    await append(request);
    return await append(request);
  },
  /** Stores a turn without its last message. */
  halving: (append) => async (request) => {
    const { messages, ...turn } = request.value as { messages: unknown[] };
    return await append({ ...request, value: { ...turn, messages: messages.slice(0, -1) } as typeof request.value });
  },
} as const satisfies Record<string, (append: Append, driver: StorageDriver) => Append>;

/** Name of a mutant storage. */
export type Mutant = keyof typeof mutants;

/** The driver itself, or the named mutant of it. */
export function mutate<Driver extends StorageDriver>(driver: Driver, mutant: Mutant | undefined): Driver {
  return mutant === undefined ? driver : wrapAppend(driver, (append) => mutants[mutant](append, driver));
}
