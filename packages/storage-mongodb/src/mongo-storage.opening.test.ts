import { watchErrorStream } from "@troupe-internal/interleavings";
import { createLogger } from "@troupe/core";
import { Collection, Db, MongoClient } from "mongodb";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { MongoStorage } from "./mongo-storage.ts";
import { needsReplicaSet } from "./standalone.ts";

const standalone = { maxWireVersion: 13 };
const cure =
  'Start it as a replica set; one server is enough ("mongod --replSet rs0", then "rs.initiate()" once in mongosh).';
const warning =
  "MongoDB runs as a standalone server, which has no transactions and no change streams. Only one process may use this " +
  `storage for its sessions and runs, and ifHeld and transaction are refused. ${cure}`;

/** Lets real clients reach a server that answers `hello` and has no records. */
function serve(hello: object): void {
  vi.spyOn(Db.prototype, "listCollections").mockReturnValue({ toArray: async () => [{}] } as never);
  vi.spyOn(Db.prototype, "command").mockResolvedValue(hello);
  vi.spyOn(Collection.prototype, "findOne").mockResolvedValue(null);
  vi.spyOn(MongoClient.prototype, "close").mockResolvedValue();
}

beforeEach(() => () => void vi.restoreAllMocks());

describe("MongoStorage when it opens", () => {
  it.each([
    ["warns once of a standalone server", standalone, [warning]],
    ["warns of no replica set", { ...standalone, setName: "rs" }, []],
    ["warns of no router of a sharded cluster", { ...standalone, msg: "isdbgrid" }, []],
  ])("%s", async (_title, hello, warnings) => {
    serve(hello);
    const said: string[] = [];
    const logger = { ...createLogger(), warn: (message: string) => void said.push(message) };
    const storage = new MongoStorage("mongodb://host", undefined, undefined, { logger });
    onTestFinished(() => storage.close());

    expect([await storage.get("ns", "a"), await storage.get("ns", "b")]).toEqual([null, null]);
    expect(said).toEqual(warnings);
  });

  it("warns on the standard error stream, with its name, if it is given no logger", async () => {
    serve(standalone);
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    const storage = new MongoStorage("mongodb://host");
    onTestFinished(() => storage.close());
    await storage.get("ns", "a");

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("MongoStorage");
    expect(lines[0]).toContain("MongoDB runs as a standalone server");
  });
});

it.each([
  ["ifHeld", "An append with ifHeld"],
  ["transaction", "A transaction of several writes"],
] as const)("the error of a standalone server names %s and the cure", (operation, subject) => {
  expect(needsReplicaSet(operation)).toMatchObject({
    code: "invalid_config",
    message: `${subject} needs a replica set, and MongoDB runs as a standalone server. ${cure}`,
  });
});
