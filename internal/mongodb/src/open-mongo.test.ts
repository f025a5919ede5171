import { TroupeError } from "@troupe/core";
import { Db, MongoClient } from "mongodb";
import type { Document } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectionNameCheck, dbNameCheck, readDbName, uriCheck } from "./mongo-arguments.ts";
import { MongoFailures } from "./mongo-failures.ts";
import { openMongo } from "./open-mongo.ts";
import type { OpenMongo } from "./open-mongo.ts";

const uri =
  "mongodb://ann:s3cret@localhost/?w=1&readPreference=secondary&retryWrites=false&journal=false&readConcernLevel=local";

/** Content of a scripted server: its hello, its collections, and failures by command. */
type Server = {
  hello?: Document;
  collections?: Readonly<Record<string, Document>>;
  fails?: Readonly<Record<string, unknown>>;
};

/** Opens a scripted server through a real client, whose `db` and `close` alone are replaced. */
async function open(
  { hello = { setName: "rs", maxWireVersion: 13 }, collections = {}, fails = {} }: Server,
  timeoutMs = 7000,
) {
  const log: unknown[] = [];
  const clients: MongoClient[] = [];
  const dbOptions: unknown[] = [];
  const failAt = (name: string): void => {
    if (fails[name] !== undefined) throw fails[name];
  };
  const db = {
    command: async (command: Document) => {
      log.push(command);
      failAt("hello");
      return await Promise.resolve(hello);
    },
    listCollections: (filter: { name: string }) => ({
      toArray: async () => {
        log.push(filter);
        const found = collections[filter.name];
        return await Promise.resolve(found === undefined ? [] : [found]);
      },
    }),
    createCollection: async (name: string) => {
      log.push(`create ${name}`);
      failAt("create");
      await Promise.resolve();
    },
  } as unknown as Db;
  vi.spyOn(MongoClient.prototype, "db").mockImplementation(function (this: MongoClient, name, options) {
    dbOptions.push(options);
    clients.push(this);
    log.push(`db ${name}`);
    return db;
  });
  vi.spyOn(MongoClient.prototype, "close").mockImplementation(async () => {
    log.push("close");
    failAt("close");
    await Promise.resolve();
  });
  const work = vi.fn<(opened: OpenMongo) => Promise<string>>().mockImplementation(async () => {
    failAt("work");
    return await Promise.resolve("done");
  });
  const place = { owner: "Store", uri, dbName: "app", timeoutMs, collectionNames: ["a", "b"] };
  const outcome = await openMongo(place, new MongoFailures(uri), work).catch((error: unknown) => error);
  return { outcome, log, work, db, dbOptions, options: clients[0]?.options };
}

const opening = ["db app", { hello: 1 }];

describe("openMongo", () => {
  beforeEach(() => void vi.restoreAllMocks());
  afterEach(() => void vi.restoreAllMocks());

  it("creates the collections that are missing, and gives the database to the work", async () => {
    const { outcome, log, work, db } = await open({ collections: { a: { type: "collection" } } });

    expect(outcome).toBe("done");
    expect(log).toEqual([...opening, { name: "a" }, { name: "b" }, "create b"]);
    expect(work.mock.calls[0]?.[0]).toEqual({
      client: expect.any(MongoClient),
      db,
      isStandalone: false,
      collectionOptions: {},
    });
  });

  it.each([
    [7000, 5000, 7000],
    [5000, 5000, 5000],
    [300, 300, 300],
  ])(
    "overrides the uri by safe writes and reads, and waits by a timeout of %i ms",
    async (timeoutMs, reach, answer) => {
      const { options, dbOptions } = await open({}, timeoutMs);

      expect(dbOptions).toEqual([
        {
          readPreference: "primary",
          readConcern: { level: "majority" },
          writeConcern: { w: "majority", journal: true, wtimeoutMS: timeoutMs },
        },
      ]);
      expect(options).toMatchObject({
        readPreference: { mode: "primary" },
        writeConcern: { w: "majority", wtimeoutMS: timeoutMs },
        retryWrites: true,
        retryReads: true,
        serverSelectionTimeoutMS: reach,
        connectTimeoutMS: reach,
        waitQueueTimeoutMS: reach,
        socketTimeoutMS: answer,
      });
    },
  );

  it.each([
    [{ setName: "rs", maxWireVersion: 21 }, false],
    [{ msg: "isdbgrid", maxWireVersion: 13 }, false],
    [{ msg: "other", maxWireVersion: 13 }, true],
    [{ maxWireVersion: 13 }, true],
  ])("takes a server that answers %j for standalone: %j", async (hello, isStandalone) => {
    const { work } = await open({ hello });

    expect(work.mock.calls[0]?.[0]).toMatchObject({
      isStandalone,
      collectionOptions: isStandalone ? { readConcern: { level: "local" }, writeConcern: { w: 1, journal: true } } : {},
    });
  });

  it("refuses a server before MongoDB 5.0, and closes", async () => {
    const { outcome, log, work } = await open({ hello: { setName: "rs", maxWireVersion: 12 } });

    expect(outcome).toMatchObject({
      code: "invalid_config",
      message: "Store needs MongoDB 5.0 or later. Upgrade the server.",
    });
    expect([log, work.mock.calls]).toEqual([[...opening, "close"], []]);
  });

  it.each([
    [{ type: "view" }],
    [{ type: "timeseries" }],
    [{ options: { collation: { locale: "de" } } }],
    [{ type: "collection", options: { capped: true } }],
  ])("refuses the existing collection %j, and closes", async (found) => {
    const { outcome, log } = await open({ collections: { a: found } });

    expect(outcome).toMatchObject({
      code: "invalid_config",
      message:
        "The collection of Store must not be a view or capped, and must have no collation. Use another collectionName.",
    });
    expect(log).toEqual([...opening, { name: "a" }, "close"]);
  });

  it("takes a collection with other options, and one that another process creates meanwhile", async () => {
    const collections = { a: { options: { capped: false, validator: {} } } };

    expect(await open({ collections, fails: { create: { code: 48 } } })).toMatchObject({ outcome: "done" });
  });

  it.each([
    ["create", Object.assign(new Error("no"), { code: 13 }), /did not allow the operation/],
    ["hello", Object.assign(new Error("no"), { name: "MongoServerSelectionError" }), /^MongoDB cannot be reached/],
    ["work", new Error("bug"), /^MongoDB could not complete the operation\.$/],
  ])("closes once and explains a failure of %s", async (at, error, message) => {
    const { outcome, log } = await open({ fails: { [at]: error } });

    expect(outcome).toMatchObject({ code: "storage_unavailable", message: expect.stringMatching(message) });
    expect(log.filter((each) => each === "close")).toEqual(["close"]);
    expect(log.at(-1)).toBe("close");
  });

  it("passes on a TroupeError of the work as it is", async () => {
    const error = new TroupeError("invalid_value", "No.");

    expect((await open({ fails: { work: error } })).outcome).toBe(error);
  });

  it("makes no connection for a uri that the library refuses", async () => {
    const close = vi.spyOn(MongoClient.prototype, "close");
    const place = { owner: "Store", uri: "mongodb://h/?w=never&x=1", dbName: "a", timeoutMs: 1, collectionNames: [] };

    await expect(openMongo(place, new MongoFailures(place.uri), async () => {})).rejects.toMatchObject({
      code: "invalid_config",
      message: "MongoDB's library cannot use the uri. Check its parts, and percent-encode user and password.",
    });
    expect(close.mock.calls).toEqual([]);
  });
});

it("openMongo gives collections these writes and reads, whatever the uri says", async () => {
  const place = { owner: "Store", uri, dbName: "app", timeoutMs: 7000, collectionNames: [] };
  vi.spyOn(Db.prototype, "command").mockResolvedValue({ setName: "rs", maxWireVersion: 13 });
  const read = await openMongo(place, new MongoFailures(uri), async ({ client, db, collectionOptions }) => {
    const { readConcern, writeConcern, readPreference } = db.collection("a", collectionOptions);
    await client.close();
    return { readConcern, writeConcern, readPreference };
  });
  vi.restoreAllMocks();

  expect(read).toMatchObject({
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", journal: true, wtimeoutMS: 7000 },
    readPreference: { mode: "primary" },
  });
});

describe("the arguments", () => {
  const name = "a name that MongoDB allows: not too long, and without $ or NUL";

  it.each([
    [
      uriCheck,
      ["mongodb://h", "mongodb+srv://h/x"],
      ["mongodb://", "http://h", " mongodb://h", 1],
      "a string that begins with mongodb:// or mongodb+srv://",
    ],
    [
      dbNameCheck,
      ["a", "a-b_é", "a".repeat(38)],
      ["", "a".repeat(39), ...'/\\. "$*<>:|?\0'.split("").map((c) => `a${c}`), null],
      name,
    ],
    [
      collectionNameCheck,
      ["a.b", "a b", "systemx", "a".repeat(120)],
      ["", ".a", "system.x", "a$", "a\0", "a".repeat(121), 1],
      name,
    ],
  ])("take names that %o allows", (...[check, taken, refused, expected]) => {
    for (const value of taken) expect(check(value, "option", {})).toBe(value);
    for (const value of refused) expect(() => check(value, "option", {})).toThrow(`option must be ${expected}, got `);
  });

  it.each([
    ["mongodb://h", undefined, "troupe"],
    ["mongodb://h/", undefined, "troupe"],
    ["mongodb://h/?w=1", undefined, "troupe"],
    ["mongodb://u:p@h1,h2:1/app?w=1", undefined, "app"],
    ["mongodb+srv://h/a%2Db", undefined, "a-b"],
    ["mongodb://h/app", "given", "given"],
    ["mongodb://h?x=/y", undefined, "troupe"],
  ])("name the database of %s with %j as %s", (from, given, dbName) => {
    expect(readDbName(from, given)).toBe(dbName);
  });

  it.each([
    ["mongodb://h/%zz", undefined, "The name of the database in the uri must be percent-encoded."],
    ["mongodb://h/a%2Fb", undefined, `dbName must be ${name}, got a string.`],
    ["mongodb://h/app", "", `dbName must be ${name}, got a string.`],
  ])("refuse the database of %s with %j", (from, given, message) => {
    expect(() => readDbName(from, given)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });
});
