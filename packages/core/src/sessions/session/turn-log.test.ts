import { expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { AppendingTurnLog } from "./appending-turn-log.ts";
import { KeyedTurnLog } from "./keyed-turn-log.ts";
import { record } from "./test/opened-session.ts";
import { turnNamed } from "./test/turns.ts";
import { sessionRef } from "./session-keys.ts";
import { openOwnLog, openTurnLog } from "./turn-log.ts";
import { newTurnRecord } from "./turn-record.ts";

const ref = sessionRef({ userId: "ada" }, "s");

it.each([
  ["append", new InMemoryStorage(), AppendingTurnLog],
  ["the required methods alone", new MapStorage(), KeyedTurnLog],
])("a driver with %s has the turn log that is made for it", (_title, driver, kind) => {
  expect(openOwnLog(driver, ref)).toBeInstanceOf(kind);
});

it("a turn log passes the lease on to the driver that appends", async () => {
  const storage = new InMemoryStorage();
  const ifHeld = { key: ref.key, token: 7 };
  const log = openTurnLog(storage, ref, { ifHeld });
  await expect(log.append(newTurnRecord(turnNamed("a")), record)).rejects.toMatchObject({ code: "conflict" });
  expect(await storage.list("turns")).toEqual([]);

  const free = openTurnLog(storage, ref);
  expect((await free.append(newTurnRecord(turnNamed("a")), record)).turns).toBe(1);
  expect((await free.newest(9, record)).map(({ runId }) => runId)).toEqual(["a"]);
});
