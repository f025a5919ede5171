import { MongoFailures } from "@troupe-internal/mongodb";
import { createLogger } from "@troupe/core";
import { Db, MongoClient, Timestamp } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openCollection } from "./open-collection.ts";

const settings = {
  uri: "mongodb://h",
  dbName: "app",
  collectionName: "records",
  timeoutMs: 7000,
  logger: createLogger(),
};

/** Sessions of a client, which keep what they were told. */
class FakeSession {
  operationTime: Timestamp | undefined;
  readonly told: unknown[] = [];

  advanceOperationTime(time: Timestamp): void {
    this.told.push(time);
    if (this.operationTime === undefined || time.greaterThan(this.operationTime)) this.operationTime = time;
  }

  async endSession(): Promise<void> {
    this.told.push(await Promise.resolve("end"));
  }
}

const replicaSet = { setName: "rs", maxWireVersion: 13 };

/** Opens the collection of a server that answers nothing but commands, through a real client. */
async function open({ hello = replicaSet, timeoutMs = 7000 }: { hello?: object; timeoutMs?: number } = {}) {
  const sessions: FakeSession[] = [];
  const command = vi.spyOn(Db.prototype, "command").mockResolvedValue(hello);
  vi.spyOn(Db.prototype, "listCollections").mockReturnValue({ toArray: async () => [{}] } as never);
  vi.spyOn(MongoClient.prototype, "startSession").mockImplementation(() => {
    sessions.push(new FakeSession());
    return sessions.at(-1) as never;
  });
  const close = vi.spyOn(MongoClient.prototype, "close").mockResolvedValue();
  const opened = await openCollection({ ...settings, timeoutMs }, new MongoFailures(settings.uri));
  return { opened, sessions, command, close };
}

const at = (seconds: number) => new Timestamp({ t: seconds, i: 1 });

describe("openCollection", () => {
  beforeEach(() => void vi.restoreAllMocks());
  afterEach(() => void vi.restoreAllMocks());

  it("gives each piece of work a session, which sees what those saw that ended before", async () => {
    const { opened, sessions } = await open();
    const [clock] = sessions;
    const given: unknown[] = [];
    const work = async (time?: Timestamp) =>
      await opened.inSession(async ({ session, records, timeoutMs }) => {
        given.push([records.collectionName, timeoutMs]);
        (session as unknown as FakeSession).operationTime = time;
        return await Promise.resolve("done");
      });

    expect([await work(), await work(at(1)), await work(at(2))]).toEqual(["done", "done", "done"]);
    await work();
    expect(given[0]).toEqual(["records", 7000]);
    expect(clock?.told).toEqual([at(1), at(2)]);
    expect(sessions.slice(1).map(({ told }) => told)).toEqual([["end"], ["end"], [at(1), "end"], [at(2), "end"]]);
  });

  it("ends the session of work that fails, whose time counts too, and passes on the failure", async () => {
    const { opened, sessions } = await open();
    const error = new Error("lost");
    const failing = opened.inSession(async ({ session }) => {
      (session as unknown as FakeSession).operationTime = at(3);
      return await Promise.reject(error);
    });

    await expect(failing).rejects.toBe(error);
    expect(sessions.map(({ told }) => told)).toEqual([[at(3)], ["end"]]);
  });

  it.each([
    [7000, 1000],
    [2001, 1000],
    [1999, 1000],
    [1001, 501],
    [10, 5],
  ])("lets the server wait for changes for at most half of %i ms, and a second: %i ms", async (timeoutMs, waitMs) => {
    const { opened } = await open({ timeoutMs });
    const { signal } = new AbortController();
    const cursor = opened.changes(signal);

    expect(cursor.pipeline).toEqual([{ $changeStream: {} }, { $project: { _id: 1 } }]);
    expect((cursor as unknown as { cursorOptions: object }).cursorOptions).toMatchObject({ maxAwaitTimeMS: waitMs });
    expect((cursor as unknown as { signal: unknown }).signal).toBe(signal);
  });

  it.each([
    [{ maxWireVersion: 13 }, true],
    [{ setName: "rs", maxWireVersion: 13 }, false],
  ])("says of a server that answers %j whether it is standalone: %j", async (hello, isStandalone) => {
    expect((await open({ hello })).opened).toMatchObject({ isStandalone, timeoutMs: 7000 });
  });

  it("pings by a command without a result, and closes its client", async () => {
    const { opened, command, close } = await open();

    expect(await opened.ping()).toBeUndefined();
    expect(command.mock.calls).toEqual([[{ hello: 1 }], [{ ping: 1 }]]);
    await opened.close();
    expect(close.mock.calls).toEqual([[]]);
  });

  it("names itself where the server is too old, and leaves no connection", async () => {
    const close = vi.spyOn(MongoClient.prototype, "close");
    await expect(open({ hello: { setName: "rs", maxWireVersion: 12 } })).rejects.toMatchObject({
      message: "MongoStorage needs MongoDB 5.0 or later. Upgrade the server.",
    });
    expect(close.mock.calls).toEqual([[]]);
  });
});
