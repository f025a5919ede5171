import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { isTransient, sqlStateOf, toConnectFailure, toPostgresFailure } from "./postgres-failure.ts";

const fromServer = (code: unknown) =>
  Object.assign(new Error("said"), { code, severity: "ERROR", detail: "secret", client: { password: "secret" } });
const lost = (code: string) => Object.assign(new Error("lost"), { code });

describe("sqlStateOf", () => {
  it.each([
    { error: fromServer("42P01"), state: "42P01" },
    { error: fromServer("42p01"), state: undefined },
    { error: fromServer("42P011"), state: undefined },
    { error: fromServer("42P0"), state: undefined },
    { error: fromServer(42_501), state: undefined },
    { error: lost("EPIPE"), state: undefined },
    { error: { code: "42P01", severity: "ERROR" }, state: undefined },
    { error: undefined, state: undefined },
  ])("finds the state $state", ({ error, state }) => {
    expect(sqlStateOf(error)).toBe(state);
  });
});

describe("isTransient", () => {
  it.each([
    ["40001", true],
    ["40P01", true],
    ["40002", false],
    ["57014", false],
  ])("isTransient of %s is %s", (code, expected) => {
    expect(isTransient(fromServer(code))).toBe(expected);
    expect(isTransient(lost(code))).toBe(false);
  });
});

describe("toPostgresFailure", () => {
  it.each([
    ["08006", "lost the connection"],
    ["28P01", "refused the login. Check the user and the password"],
    ["42P01", "has lost the table: it was dropped while in use"],
    ["42601", "could not complete the operation"],
    ["53100", "has a full disk. Free some space"],
    ["57014", "stopped the statement after its timeout. Raise statementTimeoutMs to wait longer"],
    ["57P01", "is shutting down or starting up"],
  ])("explains %s, and keeps message and code alone as its cause", (code, problem) => {
    const failure = toPostgresFailure(fromServer(code));

    expect(failure).toMatchObject({ code: "storage_unavailable", message: `PostgreSQL ${problem} (${code}).` });
    expect(failure.cause).toStrictEqual(Object.assign(new Error("said"), { code }));
  });

  it("tells that a lost operation may have been executed", () => {
    const failure = toPostgresFailure(lost("EPIPE"));

    expect(failure.message).toBe(
      "PostgreSQL did not answer, or the connection was lost. The operation may have been executed.",
    );
    expect(failure.cause).toStrictEqual(Object.assign(new Error("lost"), { code: "EPIPE" }));
    expect(toPostgresFailure(new Error("lost")).cause).toStrictEqual(new Error("lost"));
  });
});

describe("toConnectFailure", () => {
  const ours = new TroupeError("conflict", "Taken.");

  it.each([
    [lost("ECONNREFUSED"), "PostgreSQL cannot be reached (ECONNREFUSED)."],
    [new Error("lost"), "PostgreSQL cannot be reached (no connection was made)."],
    [
      fromServer("3D000"),
      "PostgreSQL has no such database. Create it, or name another one in the connection string (3D000).",
    ],
    [ours, "Taken."],
  ])("explains %s", (error, message) => {
    expect(toConnectFailure(error).message).toBe(message);
  });

  it("returns a TroupeError as it is", () => {
    expect([toConnectFailure(ours), toPostgresFailure(ours)]).toEqual([ours, ours]);
    expect(toPostgresFailure(ours)).toBe(ours);
  });
});

it.each([
  ["28000", "refused the login. Check the user and the password"],
  ["3D000", "has no such database. Create it, or name another one in the connection string"],
  ["3F000", "has lost the schema: it was dropped while in use"],
  [
    "42501",
    "did not allow the statement. Grant the role the use of the schema and the table, or the right to create them",
  ],
  ["25006", "is read-only or a replica. Connect to the primary"],
  ["25001", "could not complete the operation"],
  ["53300", "has no connection left. Lower max, or raise max_connections of the server"],
  ["53200", "could not complete the operation"],
  ["57P03", "is shutting down or starting up"],
])("the SQLSTATE %s has an explanation", (code, problem) => {
  expect(toPostgresFailure(fromServer(code))).toMatchObject({
    code: "storage_unavailable",
    message: `PostgreSQL ${problem} (${code}).`,
  });
});
