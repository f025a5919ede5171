import { describe, expect, it } from "vitest";
import { collectionNameCheck, dbNameCheck, readDbName, uriCheck } from "./mongo-arguments.ts";

const allowed = "a name that MongoDB allows: not too long, and without $ or NUL";
const refusal = (message: string) => expect.objectContaining({ code: "invalid_config", message });

describe("uriCheck", () => {
  it.each(["mongodb://h", "mongodb+srv://h/db"])("takes %s", (uri) => {
    expect(uriCheck(uri, "uri", {})).toBe(uri);
  });

  it.each(["mongodb://", "mongodb:/h", "MONGODB://h", "http://h", " mongodb://h", ""])("refuses %j", (uri) => {
    expect(() => uriCheck(uri, "uri", {})).toThrow(
      refusal("uri must be a string that begins with mongodb:// or mongodb+srv://, got a string."),
    );
  });
});

describe("The names of a database and a collection", () => {
  it.each(["a", "x".repeat(38), "é", "a-b_c"])("take %j as a database", (name) => {
    expect(dbNameCheck(name, "dbName", {})).toBe(name);
  });

  it.each(["", "x".repeat(39), "a b", "a.b", "a/b", "a$", 'a"', "a\0", "a\\b", "a*", "a<", "a>", "a:", "a|", "a?"])(
    "refuse %j as a database",
    (name) => {
      expect(() => dbNameCheck(name, "dbName", {})).toThrow(refusal(`dbName must be ${allowed}, got a string.`));
    },
  );

  it.each(["a", "x".repeat(120), "a.b", "a b", "asystem.b", "system"])("take %j as a collection", (name) => {
    expect(collectionNameCheck(name, "collectionName", {})).toBe(name);
  });

  it.each(["", "x".repeat(121), "system.a", ".a", "a$b", "a\0"])("refuse %j as a collection", (name) => {
    expect(() => collectionNameCheck(name, "collectionName", {})).toThrow(
      refusal(`collectionName must be ${allowed}, got a string.`),
    );
  });
});

describe("readDbName", () => {
  it.each([
    ["mongodb://h", undefined, "troupe"],
    ["mongodb://h/", undefined, "troupe"],
    ["mongodb://h/?a=b", undefined, "troupe"],
    ["mongodb://h?a=b/c", undefined, "troupe"],
    ["mongodb://u:p@h,i:27017/db", undefined, "db"],
    ["mongodb://h/d%C3%A9?a=b/c", undefined, "dé"],
    ["mongodb://h/db", "given", "given"],
  ])("readDbName of %s and the option %s is %s", (uri, given, name) => {
    expect(readDbName(uri, given)).toBe(name);
  });

  it("refuses a name that is not percent-encoded, or not allowed", () => {
    expect(() => readDbName("mongodb://h/%zz", undefined)).toThrow(
      refusal("The name of the database in the uri must be percent-encoded."),
    );
    expect(() => readDbName("mongodb://h/a.b", undefined)).toThrow(refusal(`dbName must be ${allowed}, got a string.`));
    expect(readDbName("mongodb://h/%zz", "given")).toBe("given");
  });
});
