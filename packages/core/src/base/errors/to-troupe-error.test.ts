import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { toTroupeError } from "./to-troupe-error.ts";
import { errorCodes, TroupeError } from "./troupe-error.ts";

const caught = (work: Promise<unknown>) => work.then(String, (error: unknown) => error);

describe("toTroupeError", () => {
  it("returns a TroupeError unchanged", () => {
    const error = new TroupeError("conflict", "Busy.");

    expect(toTroupeError(error)).toBe(error);
    expect(toTroupeError(error, AbortSignal.abort())).toBe(error);
  });

  it("turns any other failure into internal with a fixed message, and keeps it as the cause", async () => {
    const missing = await caught(readFile("/no/such/file"));
    const error = toTroupeError(missing);

    expect(error).toMatchObject({ code: "internal", message: "Something went wrong in this service.", fields: {} });
    expect(error.cause).toBe(missing);
  });

  it("turns the error of an aborted wait into cancelled", async () => {
    expect(toTroupeError(await caught(wait(1000, undefined, { signal: AbortSignal.abort() }))).code).toBe("cancelled");
    expect(toTroupeError(new DOMException("stop", "AbortError")).code).toBe("cancelled");
  });

  it("finds the reason of an abort in the cause of Node's AbortError", async () => {
    const reason = new TroupeError("limit_exceeded", "Too many tokens.");
    const late = new DOMException("late", "TimeoutError");

    expect(toTroupeError(await caught(wait(1000, undefined, { signal: AbortSignal.abort(reason) })))).toBe(reason);
    expect(toTroupeError(await caught(wait(1000, undefined, { signal: AbortSignal.abort(late) }))).code).toBe(
      "timeout",
    );
  });

  it("turns a TimeoutError into timeout", () => {
    expect(toTroupeError(new DOMException("late", "TimeoutError")).code).toBe("timeout");
  });

  it("turns every error after the signal aborted into the abort", () => {
    const thrown = new TypeError("terminated");

    expect(toTroupeError(thrown, AbortSignal.abort("the user left")).code).toBe("cancelled");
    expect(toTroupeError(thrown, new AbortController().signal).code).toBe("internal");
  });

  it("handles throwing getters, cycles and any other thrown value", () => {
    const hostile = new Error("text");
    for (const key of ["name", "message", "cause", "code", "stack"]) {
      Object.defineProperty(hostile, key, {
        get() {
          throw new Error("no");
        },
      });
    }
    const cyclic = new Error("text");
    cyclic.cause = cyclic;

    expect(toTroupeError(hostile).code).toBe("internal");
    expect(toTroupeError(cyclic).code).toBe("internal");
    assert(
      property(anything({ withNullPrototype: true, withBigInt: true }), (thrown) => {
        const error = toTroupeError(thrown);
        expect(TroupeError.is(error)).toBe(true);
        expect(errorCodes).toContain(error.code);
      }),
    );
  });
});
