import { describe, expect, it } from "vitest";
import { abortedError } from "./aborted-error.ts";
import { TroupeError } from "./troupe-error.ts";

describe("abortedError", () => {
  it("returns a reason that is a TroupeError unchanged", () => {
    const reason = new TroupeError("limit_exceeded", "Too many tokens.");

    expect(abortedError(reason)).toBe(reason);
  });

  it("distinguishes a timeout from a cancel", () => {
    expect(abortedError(new DOMException("late", "TimeoutError")).code).toBe("timeout");
    expect(abortedError(new DOMException("stop", "AbortError")).code).toBe("cancelled");
  });

  it.each([undefined, null, "the user left", 5, {}])(
    "takes the reason %s for a cancel, and keeps it as the cause",
    (reason) => {
      const error = abortedError(reason);

      expect(error.code).toBe("cancelled");
      expect(error.message).toBe("The operation was cancelled.");
      expect(error.cause).toBe(reason);
    },
  );
});
