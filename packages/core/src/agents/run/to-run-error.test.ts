import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { WrapperError } from "../../base/errors/wrapper-error.ts";
import { RunError } from "./run-output.ts";
import { testRun } from "./test/test-run.ts";
import { toRunError } from "./to-run-error.ts";

const key = "sk-canary-of-the-run";
const apiKeys = { openai: key, google: undefined };

describe("toRunError", () => {
  it("has the code, message and fields of the error, it as the cause, and the output until then", () => {
    const run = testRun({ apiKeys });
    const error = new TroupeError("timeout", "Too slow.", { fields: { ms: 5 } });
    const made = toRunError(error, run);
    expect(made).toBeInstanceOf(RunError);
    expect(made).toMatchObject({ code: "timeout", message: "Too slow.", fields: { ms: 5 } });
    expect(made.cause).toBe(error);
    expect(made.output).toMatchObject({ runId: run.runId, status: "error" });
  });

  it("has the original error as its cause, and not what wraps it", () => {
    const origin = new Error("boom");
    const made = toRunError(
      new WrapperError("internal", "The hook failed: boom", { cause: origin }),
      testRun({ apiKeys }),
    );
    expect([made.message, made.cause]).toEqual(["The hook failed: boom", origin]);
  });

  it.each<[what: string, make: () => unknown]>([
    ["its message", () => new Error(`refused ${key}`)],
    ["a field", () => Object.assign(new Error("refused"), { config: { headers: { authorization: `Bearer ${key}` } } })],
    ["a hidden field", () => Object.defineProperty(new Error("refused"), "request", { value: key })],
    ["its cause", () => new Error("refused", { cause: new Error(key) })],
    [
      "a form that cannot be looked at",
      () =>
        Object.assign(new Error("refused"), {
          [inspect.custom]: () => {
            throw new Error("no");
          },
        }),
    ],
  ])("holds no key of the run, which the original error has in %s", (_what, make) => {
    const origin = make();
    const made = toRunError(new WrapperError("internal", `Failed: ${key}`, { cause: origin }), testRun({ apiKeys }));
    expect(made.cause).not.toBe(origin);
    expect(made.cause).toMatchObject({ message: expect.stringContaining("refused") });
    expect(made.message).toBe("Failed: [redacted]");
    expect(inspect(made, { depth: 9, showHidden: true })).not.toContain(key);
  });

  it("keeps an error that holds the key of another run, and any error of a run without keys", () => {
    const origin = new Error(`refused ${key}`);
    const error = new WrapperError("internal", "Failed.", { cause: origin });
    for (const run of [testRun(), testRun({ apiKeys: { openai: "sk-another-one" } })]) {
      expect(toRunError(error, run).cause).toBe(origin);
    }
  });

  it("cuts a long message", () => {
    const text = (length: number) => toRunError(new TroupeError("internal", "x".repeat(length)), testRun()).message;
    expect([text(2000).length, text(2001)]).toEqual([2000, `${"x".repeat(2000)}…`]);
  });
});
