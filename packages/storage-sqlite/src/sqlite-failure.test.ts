import { DatabaseSync } from "node:sqlite";
import { TroupeError } from "@troupe/core";
import { expect, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { toSqliteFailure } from "./sqlite-failure.ts";

const newFile = useTestFolder();

it("toSqliteFailure says of a file that may not be written what to mend, and keeps what SQLite said", () => {
  const file = newFile();
  new DatabaseSync(file).close();
  const readOnly = new DatabaseSync(file, { readOnly: true });
  const thrown = thrownBy(() => readOnly.exec("create table t (a)"));
  readOnly.close();

  expect(toSqliteFailure(thrown, file)).toMatchObject({
    code: "storage_unavailable",
    message: `The SQLite file ${file} cannot be written: give this process the right to write to it and to its folder.`,
    cause: thrown,
  });
});

it("toSqliteFailure lets errors of ours pass, and calls what it does not know unavailable", () => {
  const ours = new TroupeError("conflict", "Taken.");
  const unknown = new TypeError("unknown");

  expect(toSqliteFailure(ours, "a.db")).toBe(ours);
  expect(toSqliteFailure(unknown, "a.db")).toMatchObject({
    code: "storage_unavailable",
    message: "The SQLite file a.db could not do what was asked of it.",
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
