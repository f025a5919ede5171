import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TroupeError } from "@troupe/core";
import { expect, it, onTestFinished } from "vitest";
import { isBusy, toSqliteFailure } from "./sqlite-failure.ts";

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "a.db");
}

it("toSqliteFailure explains an error of SQLite, and keeps it as the cause", () => {
  const file = newFile();
  new DatabaseSync(file).close();
  const readOnly = new DatabaseSync(file, { readOnly: true });
  const thrown = thrownBy(() => readOnly.exec("create table t (a)"));
  readOnly.close();

  expect(toSqliteFailure(thrown, file)).toMatchObject({
    code: "storage_unavailable",
    message: `The SQLite file ${file} cannot be written. Give this process write access to the file and its folder.`,
    cause: thrown,
  });
});

it("toSqliteFailure returns a TroupeError as it is, and reports unknown errors as storage_unavailable", () => {
  const ours = new TroupeError("conflict", "Taken.");
  const unknown = new TypeError("unknown");

  expect(toSqliteFailure(ours, "a.db")).toBe(ours);
  expect(toSqliteFailure(unknown, "a.db")).toMatchObject({
    code: "storage_unavailable",
    message: "The SQLite file a.db could not complete the operation.",
    cause: unknown,
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const thrownWith = (errcode: unknown) => Object.assign(new Error("x"), { errcode });

it.each([
  [1, "invalid_config", "has other tables under these names, or lost its own. Set table to another name"],
  [5, "storage_unavailable", "was busy for too long: other processes write to it. Raise busyTimeoutMs to wait longer"],
  [8, "storage_unavailable", "cannot be written. Give this process write access to the file and its folder"],
  [10, "storage_unavailable", "could not be read or written: the disk or the operating system failed"],
  [11, "storage_corrupt", "is damaged. Replace it with an intact copy"],
  [13, "storage_unavailable", "cannot grow: the disk is full. Free some space"],
  [14, "storage_unavailable", "cannot be opened. Its folder must exist, and this process needs write access to both"],
  [26, "storage_corrupt", "is not an SQLite database. Use another file, or move this one away"],
  [19, "storage_unavailable", "could not complete the operation"],
  ["5", "storage_unavailable", "could not complete the operation"],
])("toSqliteFailure explains the result code %j as %s, also an extended one", (errcode, code, problem) => {
  const expected = { code, message: `The SQLite file a.db ${problem}.` };

  expect(toSqliteFailure(thrownWith(errcode), "a.db")).toMatchObject(expected);
  if (typeof errcode !== "number") return;
  expect(toSqliteFailure(thrownWith(errcode + 3 * 256), "a.db")).toMatchObject(expected);
});

it.each([
  [thrownWith(5), true],
  [thrownWith(5 + 256), true],
  [thrownWith(6), false],
  [thrownWith("5"), false],
  [{ errcode: 5 }, false],
  [undefined, false],
])("isBusy of %o is %s", (error, expected) => {
  expect(isBusy(error)).toBe(expected);
});
