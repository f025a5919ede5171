import { inspect } from "node:util";
import { TroupeError } from "@troupe/core";
import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from "mongodb";
import { describe, expect, it } from "vitest";
import { MongoFailures } from "./mongo-failures.ts";

const password = "p@ss:w/örd";
const uri = `mongodb://alice:${encodeURIComponent(password)}@one.example,two.example/db?tlsCertificateKeyFilePassword=opensesame&authMechanismProperties=AWS_SESSION_TOKEN:tok3n-tok3n`;
const failures = new MongoFailures(uri);

/** Everything that a log or a debugger could print of an error. */
function printed(error: Error): string {
  return [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), error.stack, error.message].join(
    "\n",
  );
}

function raise(error: Error): never {
  throw error;
}

function failureOf(call: () => void): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("The call did not fail.");
}

describe("MongoFailures", () => {
  it("shows no credentials, wherever the library's errors hold them", () => {
    const secrets = [password, encodeURIComponent(password), "opensesame", "tok3n-tok3n"];
    const deepest = new Error(`no route to ${uri}`);
    const thrown = new MongoServerSelectionError(`cannot reach ${uri} as alice with ${password}`, {
      error: deepest,
      servers: new Map([["one", { uri }]]),
    } as never);
    Object.assign(thrown, { options: { uri, auth: { password } }, cause: deepest });

    for (const error of [failures.from(thrown), failureOf(() => failures.withUri(() => raise(thrown)))])
      for (const secret of secrets) expect(printed(error)).not.toContain(secret);
  });

  it("hides a password that is too short for the redactor", () => {
    const short = new MongoFailures("mongodb://u:pw@host");

    expect(printed(short.from(new Error("cannot use mongodb://u:pw@host/db")))).not.toContain("pw");
  });

  it("keeps name, code and message of the cause and of its causes", () => {
    const socket = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    const { cause } = failures.from(new MongoNetworkError("no connection", { cause: socket }));

    expect(cause).toMatchObject({ name: "MongoNetworkError", message: "no connection" });
    expect((cause as Error).cause).toMatchObject({ message: socket.message, code: "ECONNREFUSED" });
  });

  it("handles an error that is its own cause", () => {
    const cycle = new Error("a");
    cycle.cause = cycle;

    expect(failures.from(cycle).code).toBe("storage_unavailable");
  });

  it.each([
    [18, /refused the login/],
    [13, /did not allow the operation\. Grant the user the role readWrite/],
    [14031, /full disk/],
    [251, /transactionLifetimeLimitSeconds/],
    [64, /majority/],
    [112, /could not write for too long/],
    [9, /could not complete the operation/],
  ])("explains the server's error %d", (code, sentence) => {
    const error = failures.from(new MongoServerError({ message: "said by the server", code }));

    expect(error).toMatchObject({ code: "storage_unavailable", message: expect.stringMatching(sentence) as string });
  });

  it("returns a TroupeError as it is", () => {
    const conflict = new TroupeError("conflict", "taken");

    expect(failures.from(conflict)).toBe(conflict);
  });
});
