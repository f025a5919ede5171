import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TroupeError } from "@troupe/core";
import { expect, it, onTestFinished } from "vitest";
import { toSqliteFailure } from "./sqlite-failure.ts";

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
