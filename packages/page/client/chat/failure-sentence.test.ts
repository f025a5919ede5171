import { describe, expect, it } from "vitest";
import { toSentence } from "./failure-sentence.ts";

describe("the sentence on a failure", () => {
  it("says where a key is entered that a vendor misses", () => {
    const failure = { code: "unauthorized", message: "openai needs an API key: send the header …", vendor: "openai" };

    expect(toSentence(failure)).toMatch(/^OpenAI needs a key.*“Keys of vendors”/);
  });

  it.each([
    { code: "unauthorized", message: "Sign in." },
    { code: "unauthorized", message: "No key.", vendor: "constructor" },
    { code: "rate_limited", message: "Later.", vendor: "openai" },
  ])("is the service's own otherwise: %j", (failure) => {
    expect(toSentence(failure)).toBe(failure.message);
  });
});
