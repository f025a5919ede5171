import type { AppendOptions, StorageDriver } from "../storage/storage-driver.ts";
import { CountedTurns } from "./counted-turns.ts";
import { ListedTurns } from "./listed-turns.ts";
import type { AppendingDriver } from "./listed-turns.ts";
import type { TurnLog } from "./turn-log.ts";

/** The turns of the session with this key, in the way that suits the driver. */
export function openTurnLog(driver: StorageDriver, key: string, options: AppendOptions = {}): TurnLog {
  return canAppend(driver) ? new ListedTurns(driver, key, options) : new CountedTurns(driver, key);
}

function canAppend(driver: StorageDriver): driver is AppendingDriver {
  return driver.append !== undefined;
}
