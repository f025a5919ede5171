import type { AppendOptions, StorageDriver } from "../storage/storage-driver.ts";
import type { SessionRef } from "./session-keys.ts";
import { KeyedTurnLog } from "./keyed-turn-log.ts";
import { AppendingTurnLog } from "./appending-turn-log.ts";
import type { AppendingDriver } from "./appending-turn-log.ts";
import { ForkedTurnLog } from "./forked-turn-log.ts";
import type { TurnLog } from "./turn-log-type.ts";

/**
 * Returns the turn log of a session, including the shared turns of a fork: an `AppendingTurnLog` for a driver with
 * `append`, otherwise a `KeyedTurnLog`.
 */
export function openTurnLog(driver: StorageDriver, ref: SessionRef, options: AppendOptions = {}): TurnLog {
  return new ForkedTurnLog(openOwnLog(driver, ref, options), {
    driver,
    ref,
    open: (source) => openTurnLog(driver, source),
  });
}

/** Returns the log of a session's own turns, without the shared turns of a fork. */
export function openOwnLog(driver: StorageDriver, ref: SessionRef, options: AppendOptions = {}): TurnLog {
  return canAppend(driver) ? new AppendingTurnLog(driver, ref, options) : new KeyedTurnLog(driver, ref);
}

function canAppend(driver: StorageDriver): driver is AppendingDriver {
  return driver.append !== undefined;
}
