import { VendorError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { readRefusal, toClientError, toVendorError } from "./errors.ts";

const silent = "The vendor sent an error without a message.";

describe("toVendorError", () => {
  it.each([
    ["invalid_prompt", 400],
    ["invalid_request_error", 400],
    ["context_length_exceeded", 400],
    ["invalid_api_key", 401],
    ["authentication_error", 401],
    ["rate_limit_exceeded", 429],
    ["rate_limit_error", 429],
    ["insufficient_quota", 429],
    ["too_many_requests", 429],
    ["overloaded_error", 503],
    ["service_unavailable", 503],
  ])("gives %s the status %i, as a code and as a type", (word, status) => {
    for (const error of [{ code: word }, { code: null, type: word }])
      expect(toVendorError({ error })).toMatchObject({ status, hasStatus: true, vendorCode: word });
  });

  it.each(["server_error", "constructor", "__proto__"])("knows no status for %s", (code) => {
    expect(toVendorError({ error: { code } })).toMatchObject({ status: 500, hasStatus: false, vendorCode: code });
  });

  it.each<[unknown, number, boolean]>([
    [400, 400, true],
    ["429", 429, true],
    [599, 599, true],
    [399, 500, false],
    [600, 500, false],
    [429.5, 500, false],
    [40_303, 500, false],
    [null, 500, false],
    ["", 500, false],
  ])("takes the code %j for the status %i", (code, status, hasStatus) => {
    expect(toVendorError({ code })).toMatchObject({ status, hasStatus });
  });

  it.each<[string, unknown, string]>([
    ["an error field", { error: { message: "A" }, message: "B" }, "A"],
    ["the top", { message: "B" }, "B"],
    ["an empty text", { message: "" }, ""],
    ["a text for an error", { error: "C" }, "C"],
    ["a body of text", "D", "D"],
    ["fields without a message", { error: { status: "x" } }, '{"status":"x"}'],
    ["null for an error", { error: null, message: "B" }, "B"],
    ["a number", 7, silent],
    ["nothing", undefined, silent],
  ])("takes the message from %s", (_, body, message) => {
    expect(toVendorError(body).message).toBe(message);
  });

  it("has all facts of the error and of its reply, whose status counts first", () => {
    const error = { message: "A", type: "t", code: "rate_limit_exceeded", param: "tools", n_ctx: 4096 };
    const { name: _, ...facts } = toVendorError(
      { error },
      { status: 503, headers: new Headers({ "retry-after": "3" }) },
    );

    expect(facts).toEqual({
      status: 503,
      hasStatus: true,
      vendorCode: "rate_limit_exceeded",
      retryAfterMs: 3000,
      contextLimit: 4096,
      param: "tools",
    });
  });

  it.each([undefined, "4096", -1, 1.5])("takes %j for no length of a context", (n_ctx) => {
    const error = toVendorError({ n_ctx, code: 7, type: "t" });

    expect(error).toMatchObject({ contextLimit: undefined, vendorCode: "t", retryAfterMs: undefined });
  });
});

describe("toClientError", () => {
  it("makes an error of the vendor's event", () => {
    const error = toClientError({ error: { message: "Slow.", code: "rate_limit_exceeded" } });

    expect(error).toBeInstanceOf(VendorError);
    expect(error).toMatchObject({ message: "Slow.", status: 429 });
  });

  it.each<[string, unknown]>([
    ["a status", { status: 400, error: {} }],
    ["null for an error", { error: null }],
    ["a text for an error", { error: "x" }],
    ["none", new Error("lost")],
    ["no fields", "lost"],
  ])("leaves one with %s as it is", (_, thrown) => {
    expect(toClientError(thrown)).toBe(thrown);
  });
});

describe("readRefusal", () => {
  it.each<[unknown, unknown]>([
    [
      { status: 400, message: "No.", param: "tools" },
      { message: "No.", param: "tools" },
    ],
    [
      { status: 400, message: "No.", param: null },
      { message: "No.", param: undefined },
    ],
    [{ status: 400 }, { message: "undefined", param: undefined }],
    [{ status: "400", message: "No." }, undefined],
    [{ status: 422, message: "No.", param: "tools" }, undefined],
    [null, undefined],
    [undefined, undefined],
    ["No.", undefined],
  ])("reads %j", (error, expected) => {
    expect(readRefusal(error)).toEqual(expected);
  });
});
