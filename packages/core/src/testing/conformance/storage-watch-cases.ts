import { assert, until } from "./assert.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A `StorageDriver` with the optional method `watch`: subject of `storageWatchCases`. */
export type WatchingStorage = StorageDriver & Required<Pick<StorageDriver, "watch">>;

/**
 * Conformance suite for a `StorageDriver` with `watch`. A hint may be missed, so each write is repeated until a hint
 * arrives.
 */
export const storageWatchCases = {
  "calls back when a record was set or deleted": async (driver) => {
    await heardUntil(driver, async (turn) => await driver.set("ns", "k", turn));
    await heardUntil(driver, async (turn) => {
      await driver.set("other", "k", turn);
      await driver.delete("ns", "k");
    });
  },
  "calls back when another member wrote, as far as there is one": async (driver) => {
    const record = (turn: number) => ({ namespace: "ns", key: `k${turn}`, value: turn });
    const writes = {
      append: async (turn: number) => await driver.append?.("ns", "s/", turn),
      compareAndSet: async (turn: number) => await driver.compareAndSet?.("ns", `c${turn}`, null, turn),
      insertAll: async (turn: number) => await driver.insertAll?.([record(turn)]),
      transaction: async (turn: number) =>
        await driver.transaction?.([record(turn), { namespace: "ns", key: "t", value: turn }]),
    };
    for (const [name, write] of Object.entries(writes)) if (name in driver) await heardUntil(driver, write);
  },
  "calls back when what was written can be read": async (driver) => {
    const seen = new Set<unknown>();
    const stop = driver.watch("ns", () => void driver.get("ns", "k").then((value) => seen.add(value)));
    let turn = 0;
    await repeatUntil(
      async () => await driver.set("ns", "k", ++turn),
      () => seen.size > 2,
    );
    stop();
  },
  "calls each of several listeners, also one that was given twice": async (driver) => {
    let calls = 0;
    const twice = () => void (calls += 1);
    const stopOne = driver.watch("ns", twice);
    const stopOther = driver.watch("ns", twice);
    await heardUntil(driver, async (turn) => await driver.set("ns", "k", turn));
    stopOther();
    const before = calls;
    await repeatUntil(
      async () => await driver.set("ns", "k", 1),
      () => calls > before,
    );
    stopOne();
  },
  "calls no listener whose watching was ended, and goes on calling the others": async (driver) => {
    let ended = 0;
    const stop = driver.watch("ns", () => (ended += 1));
    await repeatUntil(
      async () => await driver.set("ns", "k", 1),
      () => ended > 0,
    );
    stop();
    assert.doesNotThrow(stop);
    const before = ended;
    for (const turn of [1, 2, 3]) await heardUntil(driver, async () => await driver.set("ns", "k", turn));

    assert.equal(ended, before);
  },
  "goes on when a listener throws or rejects": async (driver) => {
    const fail = () => {
      throw new Error("planned by the test");
    };
    const reject: () => unknown = async () => await Promise.reject(new Error("planned by the test"));
    const stops = [fail, reject].map((listener) => driver.watch("ns", listener));
    await heardUntil(driver, async (turn) => await driver.set("ns", "k", turn));
    for (const stop of stops) stop();

    await assert.doesNotReject(driver.set("ns", "k", 1));
  },
  "lets a listener write, watch and end its watching": async (driver) => {
    let inner = 0;
    let turn = 0;
    const stop = driver.watch("ns", () => {
      stop();
      const stopInner = driver.watch("ns", () => {
        inner += 1;
        stopInner();
      });
      void driver.set("ns", "inner", ++turn);
    });
    await repeatUntil(
      async () => await driver.set("ns", "k", ++turn),
      () => inner > 0,
    );

    assert.equal(inner, 1);
  },
  "calls no listener after close, and refuses to watch then": async (driver) => {
    let calls = 0;
    const stop = driver.watch("ns", () => (calls += 1));
    await driver.set("ns", "k", 1);
    await driver.close();
    const before = calls;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));

    assert.equal(calls, before);
    assert.doesNotThrow(stop);
    assert.equal(thrownBy(() => driver.watch("ns", () => {})).code, "storage_unavailable");
  },
  "refuses to watch a namespace that no record can have": async (driver) => {
    for (const namespace of ["", "a\0b", "\ud800", "x".repeat(1025)])
      assert.equal(thrownBy(() => driver.watch(namespace, () => {})).code, "invalid_value");
  },
} satisfies ConformanceCases<WatchingStorage>;

/** Watches a namespace and repeats a write until a hint arrives. */
async function heardUntil(driver: WatchingStorage, write: (turn: number) => Promise<unknown>): Promise<void> {
  let isHeard = false;
  const stop = driver.watch("ns", () => (isHeard = true));
  let turn = 0;
  await repeatUntil(
    async () => await write(++turn),
    () => isHeard,
  );
  stop();
}

/** Repeats a write until the condition holds. Fails if it never holds. */
async function repeatUntil(write: () => Promise<unknown>, holds: () => boolean): Promise<void> {
  for (let writes = 0; !holds(); writes++) {
    assert.ok(writes < 20, "no listener was called that should have been, after 20 writes");
    await write();
    await until(holds, 100).catch(() => {});
  }
}

function thrownBy(call: () => unknown): TroupeError {
  try {
    call();
  } catch (error) {
    assert.ok(TroupeError.is(error), `expected a TroupeError, but got ${String(error)}`);
    return error;
  }
  return assert.fail("expected an error, but it returned");
}
