import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { toTroupeError } from "./to-troupe-error.ts";
import { errorCodes, TroupeError } from "./troupe-error.ts";

const caught = (work: Promise<unknown>) => work.then(String, (error: unknown) => error);

describe("toTroupeError", () => {
  it("lets a TroupeError pass as it is", () => {
    const error = new TroupeError("conflict", "Busy.");

    expect(toTroupeError(error)).toBe(error);
    expect(toTroupeError(error, AbortSignal.abort())).toBe(error);
  });

  it("makes internal with a fixed message of any other failure, and keeps it as the cause", async () => {
    const missing = await caught(readFile("/no/such/file"));
    const error = toTroupeError(missing);

    expect(error).toMatchObject({ code: "internal", message: "Something went wrong in this service.", fields: {} });
    expect(error.cause).toBe(missing);
  });

  it("makes cancelled of what an aborted wait throws", async () => {
    expect(toTroupeError(await caught(wait(1000, undefined, { signal: AbortSignal.abort() }))).code).toBe("cancelled");
    expect(toTroupeError(new DOMException("stop", "AbortError")).code).toBe("cancelled");
  });

  it("finds the reason of the abort where Node's functions put it", async () => {
    const reason = new TroupeError("limit_exceeded", "Too many tokens.");
    const late = new DOMException("late", "TimeoutError");

    expect(toTroupeError(await caught(wait(1000, undefined, { signal: AbortSignal.abort(reason) })))).toBe(reason);
    expect(toTroupeError(await caught(wait(1000, undefined, { signal: AbortSignal.abort(late) }))).code).toBe(
      "timeout",
    );
  });

  it("makes timeout of what ran out of time", () => {
    expect(toTroupeError(new DOMException("late", "TimeoutError")).code).toBe("timeout");
  });

  it("takes whatever is thrown after the signal aborted for the abort", () => {
    const thrown = new TypeError("terminated");

    expect(toTroupeError(thrown, AbortSignal.abort("the user left")).code).toBe("cancelled");
    expect(toTroupeError(thrown, new AbortController().signal).code).toBe("internal");
  });

  it("survives getters that throw, cycles and anything else that can be thrown", () => {
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
