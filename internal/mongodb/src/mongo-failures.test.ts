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

  it("hides a password that is too short for the redactor, wherever the message is cut", () => {
    const short = new MongoFailures("mongodb://u:pw@host");

    for (let length = 150; length <= 200; length++)
      expect(printed(short.from(new Error(`${"x".repeat(length)} mongodb://u:pw@host/db`)))).not.toContain("pw");
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

describe("The explanations of MongoFailures", () => {
  const conflicting = "could not write for too long because of other writers to the same records";

  it.each<[unknown, string]>([
    [13, "did not allow the operation. Grant the user the role readWrite on the database"],
    [18, "refused the login. Check the user, the password and authSource in the uri"],
    [8000, "refused the login. Check the user and the password in the uri"],
    [64, "could not confirm the write on a majority of its servers in time. It may have been executed"],
    [50, "did not finish in time. The operation may have been executed"],
    [112, conflicting],
    [11_000, conflicting],
    [251, "ended a transaction that took too long. Raise transactionLifetimeLimitSeconds of the server"],
    [14_031, "has a full disk. Free some space"],
    [14, "could not complete the operation"],
    ["13", "could not complete the operation"],
  ])("have for the code %j the words %j", (code, problem) => {
    expect(failures.from(Object.assign(new Error("x"), { code })).message).toBe(`MongoDB ${problem}.`);
  });

  it.each([
    [
      "MongoServerSelectionError",
      "cannot be reached, or has no primary. Check the address, and that the server is running",
    ],
    ["MongoNetworkError", "lost the connection before it answered. The operation may have been executed"],
    [
      "MongoNetworkTimeoutError",
      "did not answer in time. The operation may have been executed. Raise timeoutMs to wait longer",
    ],
    ["MongoWaitQueueTimeoutError", "has no connection left. Raise maxPoolSize in the uri"],
    ["MongoWriteConcernError", "could not confirm the write on a majority of its servers. It may have been executed"],
    ["ConcurrentWriteError", conflicting],
    ["constructor", "could not complete the operation"],
  ])("have for the name %s the words %j, and prefer the code", (name, problem) => {
    const named = (more: object) => failures.from(Object.assign(new Error("x"), { name }, more)).message;

    expect(named({})).toBe(`MongoDB ${problem}.`);
    expect(named({ code: 999 })).toBe(`MongoDB ${problem}.`);
    expect(named({ code: 14_031 })).toBe("MongoDB has a full disk. Free some space.");
  });

  it("have for a uri that the library refuses a way to mend it", () => {
    expect(failureOf(() => failures.withUri(() => raise(new Error("Invalid scheme"))))).toMatchObject({
      code: "invalid_config",
      message: "MongoDB's library cannot use the uri. Check its parts, and percent-encode user and password.",
      cause: { message: "Invalid scheme" },
    });
    expect(failures.withUri(() => 7)).toBe(7);
  });
});

describe("The causes of MongoFailures", () => {
  const causeOf = (error: Error) => failures.from(error).cause as Error;

  it("have the name and the message in their stack, a code, and no other field", () => {
    const cause = causeOf(Object.assign(new Error("x"), { name: "MongoError", code: 7, secret: 1 }));

    expect([cause.name, cause.message, cause.stack]).toEqual(["MongoError", "x", "MongoError: x"]);
    expect(Object.entries(cause)).toEqual([["code", 7]]);
    expect(Object.keys(causeOf(Object.assign(new Error("x"), { code: {} })))).toEqual([]);
  });

  it("are at most four, of 200 characters each", () => {
    let error = new Error("5");
    for (const message of ["4", "3", "2", "x".repeat(201)]) error = new Error(message, { cause: error });
    const messages: string[] = [];
    for (let cause: unknown = causeOf(error); cause instanceof Error; { cause } = cause) messages.push(cause.message);

    expect(messages).toEqual([`${"x".repeat(200)}…`, "2", "3", "4"]);
  });

  it.each([
    ["mongodb://alice:s3cretword@host", "s3cretword"],
    ["mongodb://alice:s%40cretword@host", "s@cretword"],
    ["mongodb://alice:s%40cretword@host", "s%40cretword"],
    ["mongodb://alice:broken%zzword@host", "broken%zzword"],
    ["mongodb://alice:over%65ncoded@host", "over%65ncoded"],
    ["mongodb://alice:over%65ncoded@host", "overencoded"],
    ["mongodb://host/?a=b&authMechanismProperties=A:over%65ncoded,B:c", "over%65ncoded"],
    ["mongodb+srv://host/?tlsCertificateKeyFilePassword=s3cretword", "s3cretword"],
    ["mongodb://host/?a=b&authMechanismProperties=A:s3cretword,B:other-word", "s3cretword"],
    ["mongodb://host/?a=b&authMechanismProperties=A:s3cretword,B:other-word", "other-word"],
  ])("the causes of MongoFailures of the uri %s do not show %s", (given, secret) => {
    const error = new MongoFailures(given).from(new Error(`it says ${secret}!`));

    expect((error.cause as Error).message).toBe("it says [redacted]!");
  });
});
