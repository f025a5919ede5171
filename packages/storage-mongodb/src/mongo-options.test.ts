import { describe, expect, it } from "vitest";
import { MongoStorage } from "./mongo-storage.ts";
import { readArguments } from "./mongo-options.ts";

const read = (uri: string, dbName?: string, collectionName?: string) =>
  readArguments({ uri, dbName, collectionName, options: {} });

describe("MongoStorage's arguments", () => {
  it("default to the database in the uri, and to fixed names [mongodb.driver]", () => {
    expect(read("mongodb://host")).toMatchObject({ dbName: "troupe", collectionName: "storage", timeoutMs: 10_000 });
    expect(read("mongodb://a,b:1/?w=1")).toMatchObject({ dbName: "troupe" });
    expect(read("mongodb+srv://u:p@host/my%2Ddb?w=1")).toMatchObject({ dbName: "my-db" });
    expect(read("mongodb://host/inUri", "named", "records")).toMatchObject({
      dbName: "named",
      collectionName: "records",
    });
  });

  it.each([
    ["a number", 1],
    ["another scheme", "postgres://user:hunter22@host"],
    ["a uri without a host", "mongodb://"],
    ["undefined", undefined],
  ])("are refused without quoting them when the uri is %s", (_, uri) => {
    const create = () => new MongoStorage(uri as string);

    expect(create).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(create).toThrow(/uri must be a string that begins with mongodb:/);
    expect(create).not.toThrow(/hunter22/);
  });

  it("are refused when MongoDB does not allow a name", () => {
    for (const name of ["", "a.b", "a/b", "$a", "a b", "a\0", "x".repeat(39), 1 as unknown as string])
      expect(() => new MongoStorage("mongodb://host", name), name).toThrow(
        /^dbName must be a name that MongoDB allows/,
      );
    for (const name of ["", "system.x", "a$b", "a\0", "x".repeat(121)])
      expect(() => new MongoStorage("mongodb://host", "db", name), name).toThrow(/^collectionName must be/);
    expect(() => new MongoStorage("mongodb://host/%zz")).toThrow(/percent-encoded/);
  });

  it("are refused when an option is wrong or unknown", () => {
    for (const timeoutMs of [0, -1, 1.5, Infinity, 2 ** 31])
      expect(() => new MongoStorage("mongodb://host", "db", "c", { timeoutMs })).toThrow(/^timeoutMs must be/);
    expect(() => new MongoStorage("mongodb://host", "db", "c", { timeout: 1 } as never)).toThrow(
      /Unknown option "timeout"/,
    );
    expect(() => new MongoStorage("mongodb://host", "db", "c", null as never)).toThrow(
      /^The options of MongoStorage must be an object/,
    );
  });
});
