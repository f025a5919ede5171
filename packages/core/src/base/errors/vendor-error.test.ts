import { describe, expect, it } from "vitest";
import { ResponseError, TruncatedResponseError, VendorError } from "./vendor-error.ts";

/** All that an error has but its stack. */
const factsOf = (error: Error) => ({ ...(error as object), message: error.message });

describe("VendorError", () => {
  it("has all that the vendor told", () => {
    const facts = { message: "No.", status: 429, vendorCode: "quota", retryAfterMs: 0, contextLimit: 8 };
    const error = new VendorError(facts);
    expect(error).toBeInstanceOf(Error);
    expect(factsOf(error)).toEqual({ ...facts, hasStatus: true });
  });

  it("has the status 500, which did not come with it, and says so when it has no message", () => {
    const error = new VendorError({});
    expect(factsOf(error)).toEqual({
      message: "The vendor sent an error without a message.",
      status: 500,
      hasStatus: false,
      vendorCode: undefined,
      retryAfterMs: undefined,
      contextLimit: undefined,
    });
  });

  it.each([
    [{ status: 0 }, 0, true],
    [{ status: 500 }, 500, true],
    [{ status: undefined }, 500, false],
  ])("VendorError of %j has the status %i, which came with it: %s", (facts, status, hasStatus) => {
    expect(new VendorError(facts)).toMatchObject({ status, hasStatus });
  });

  it("keeps an empty message", () => {
    expect(new VendorError({ message: "" }).message).toBe("");
  });
});

describe("an answer that cannot be read", () => {
  it("tells what happened, for the sentence of another error and in its own", () => {
    const error = new ResponseError("sent an event of more than 16 MB");
    expect(error).toMatchObject({
      happened: "sent an event of more than 16 MB",
      message: "The vendor sent an event of more than 16 MB.",
    });
    expect(error).not.toHaveProperty("code");
  });

  it("is a lost connection where it ended before it was complete", () => {
    const error = new TruncatedResponseError();
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({
      code: "ECONNRESET",
      happened: "ended the stream before its last event",
      message: "The vendor ended the stream before its last event.",
    });
    expect(new TruncatedResponseError("sent half").message).toBe("The vendor sent half.");
  });
});
