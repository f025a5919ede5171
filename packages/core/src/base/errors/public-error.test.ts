import { describe, expect, it } from "vitest";
import { toPublicError } from "./public-error.ts";
import { TroupeError } from "./troupe-error.ts";
import type { ErrorCode } from "./troupe-error.ts";

const secret = "sk-canary-0123456789";

describe("toPublicError", () => {
  it("returns code, message and fields, and never the cause", () => {
    const error = new TroupeError("rate_limited", "Too many.", {
      cause: new Error(secret),
      fields: { vendor: "openai", retryAfterMs: 2000 },
    });

    expect(toPublicError(error)).toEqual({
      code: "rate_limited",
      message: "Too many.",
      vendor: "openai",
      retryAfterMs: 2000,
    });
  });

  it("does not let a field replace the code or the message", () => {
    const error = new TroupeError("conflict", "Busy.", { fields: { code: "other", message: "other" } });

    expect(toPublicError(error)).toEqual({ code: "conflict", message: "Busy." });
  });

  it.each<ErrorCode>(["internal", "invalid_config", "invalid_value"])(
    "has only the code and a general message for %s",
    (code) => {
      const error = new TroupeError(code, `Reading ${secret} failed.`, { fields: { path: secret } });

      expect(toPublicError(error)).toEqual({ code, message: "Something went wrong in this service." });
    },
  );

  it.each([
    ["storage_unavailable", "The storage cannot be used at the moment."],
    ["storage_corrupt", "What is stored cannot be read."],
  ] as const)("tells a client of %s neither file, host nor record", (code, message) => {
    const error = new TroupeError(code, `Reading ${secret} failed.`, { fields: { key: secret } });

    expect(toPublicError(error)).toEqual({ code, message });
  });

  it.each([new Error(secret), secret, { message: secret }, null, undefined])(
    "says nothing of a thrown %s",
    (thrown) => {
      expect(toPublicError(thrown)).toEqual({ code: "internal", message: "Something went wrong in this service." });
    },
  );

  it("turns an unknown code into internal", () => {
    const error = new TroupeError("from_the_future" as ErrorCode, secret);

    expect(toPublicError(error)).toEqual({ code: "internal", message: "Something went wrong in this service." });
  });
});
