import { describe, expect, it } from "vitest";
import { ModelError } from "../errors/model-error.ts";
import { askedDelay } from "./asked-delay.ts";

describe("askedDelay", () => {
  it("reads the wait from the error, else from the headers of its response", () => {
    const headers = new Headers({ "retry-after": "3" });

    expect(askedDelay(new ModelError({ providerId: "openai", status: 429, retryAfterMs: 2000 }))).toBe(2000);
    expect(askedDelay({ headers })).toBe(3000);
    expect(askedDelay({ retryAfterMs: 2000, headers })).toBe(2000);
  });

  it.each([
    undefined,
    null,
    "text",
    {},
    { retryAfterMs: NaN },
    { retryAfterMs: -1 },
    { retryAfterMs: "5" },
    { headers: {} },
    { headers: new Headers() },
  ])("is 0 for %o", (error) => {
    expect(askedDelay(error)).toBe(0);
  });
});
