import { setTimeout as sleep } from "node:timers/promises";
import type { StorageDriver } from "@troupe/core";
import { encodeSequence } from "@troupe/core/adapter";
import { wrapAppend } from "./wrap-append.ts";
import type { Append } from "./wrap-append.ts";

/** Storages that break a promise, to see the judge find it. */
const breaches = {
  /** Says that a turn is stored, and stores it later. */
  hasty: (append, driver) => async (request) => {
    const stored = await driver.list(request.namespace, request.keyPrefix);
    const seq = stored.length + 1;
    void sleep(300).then(async () => await append(request));
    return { key: request.keyPrefix + encodeSequence(seq), seq };
  },
  /** Stores each turn twice. */
  doubling: (append) => async (request) => {
    await append(request);
    return await append(request);
  },
  /** Stores a turn without its last word. */
  halving: (append) => async (request) => {
    const { messages, ...turn } = request.value as { messages: unknown[] };
    return await append({ ...request, value: { ...turn, messages: messages.slice(0, -1) } as typeof request.value });
  },
} as const satisfies Record<string, (append: Append, driver: StorageDriver) => Append>;

/** The name of a promise that can be broken. */
export type Breach = keyof typeof breaches;

/** The driver, breaking its promise where one is named. */
export function withBreach<Driver extends StorageDriver>(driver: Driver, breach: Breach | undefined): Driver {
  return breach === undefined ? driver : wrapAppend(driver, (append) => breaches[breach](append, driver));
}
