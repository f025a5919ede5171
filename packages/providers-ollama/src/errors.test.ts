import { TroupeError } from "@troupe/core";
import { TruncatedResponseError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { OllamaError, toClientError, toVendorError, withAdvice } from "./errors.ts";

const silent = "The vendor sent an error without a message.";
const call = { providerId: "ollama" };

describe("toVendorError", () => {
  it.each<[string, unknown, string, boolean]>([
    ["the server's", { error: "no", message: "other" }, "no", true],
    ["an empty one", { error: "" }, silent, true],
    ["an object", { error: { message: "no" } }, silent, false],
    ["none", { message: "no" }, silent, false],
    ["a page", "404 page not found", silent, false],
    ["nothing", undefined, silent, false],
  ])("reads an error that is %s", (_, ...[body, message, isFromOllama]) => {
    const error = toVendorError(body);

    expect(error).toBeInstanceOf(OllamaError);
    expect(error).toMatchObject({ message, isFromOllama, status: 500, hasStatus: false, retryAfterMs: undefined });
  });

  it("has status and wait of the reply", () => {
    const headers = new Headers({ "retry-after": "3" });

    expect(toVendorError({ error: "no" }, { status: 429, headers })).toMatchObject({
      status: 429,
      hasStatus: true,
      retryAfterMs: 3000,
    });
  });

  it.each([
    [400, '"m" does not support thinking', true, false],
    [400, '"m" does not support tools', false, true],
    [500, '"m" does not support thinking', false, false],
    [400, "thinking", false, false],
  ])("knows what a model lacks from %i %s", (status, message, ...expected) => {
    const error = new OllamaError(message, { status });

    expect([error.lacks("thinking"), error.lacks("tools")]).toEqual(expected);
  });
});

describe("toClientError", () => {
  it.each<[string, unknown, object]>([
    ["of a reply", { status_code: 404, error: "no" }, { message: "no", status: 404, isFromOllama: true }],
    ["of a line", new Error("no"), { message: "no", status: 500, hasStatus: false, isFromOllama: true }],
  ])("reads the error %s", (_, thrown, expected) => {
    expect(toClientError(thrown)).toBeInstanceOf(OllamaError);
    expect(toClientError(thrown)).toMatchObject(expected);
  });

  it("knows the stream without its last line", () => {
    expect(toClientError(new Error("Did not receive done or success response in stream."))).toBeInstanceOf(
      TruncatedResponseError,
    );
  });

  it.each<[string, unknown]>([
    ["of another class", new TypeError("fetch failed")],
    ["that is no error", { message: "no" }],
    ["whose status is no number", { status_code: "404", error: "no" }],
    ["of nothing", undefined],
  ])("leaves one %s as it is", (_, thrown) => {
    expect(toClientError(thrown)).toBe(thrown);
  });
});

describe("withAdvice", () => {
  const noServer = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const lacking = '"m" does not support tools';

  it.each<[string, unknown, string]>([
    ["start the server", noServer, "ollama does not run where baseURL says"],
    [
      "get the model",
      new OllamaError("not found", { status: 404 }),
      "ollama has no model m: get it with `ollama pull m`.",
    ],
    ["correct the address", new OllamaError(undefined, { status: 404 }), "What answers at baseURL is not ollama"],
    ["leave out tools", new OllamaError(lacking, { status: 400 }), "ollama's m takes no tools"],
  ])("tells the operator to %s", (_, thrown, message) => {
    const error = withAdvice(thrown, call, "m");

    expect(error).toBeInstanceOf(TroupeError);
    expect(error).toMatchObject({
      code: "model_failed",
      message: expect.stringContaining(message) as unknown,
      fields: { vendor: "ollama" },
      cause: { name: "ModelError" },
    });
  });

  it.each<[string, unknown]>([
    ["another error of the server", new OllamaError("busy", { status: 503 })],
    ["a refusal of something else", new OllamaError('"m" does not support thinking', { status: 400 })],
    ["a status of another server", Object.assign(new Error("no"), { status: 404 })],
    ["a lost connection", Object.assign(new Error("no"), { code: "ECONNRESET" })],
  ])("leaves %s as it is", (_, thrown) => {
    expect(withAdvice(thrown, call, "m")).toBe(thrown);
  });

  it.each<[string, unknown]>([
    ["a server that is not there", noServer],
    ["a model that is not there", new OllamaError("not found", { status: 404 })],
    ["another server", new OllamaError(undefined, { status: 404 })],
    ["a model without tools", new OllamaError(lacking, { status: 400 })],
  ])("has no advice about %s once the call was aborted", (_, thrown) => {
    expect(withAdvice(thrown, { ...call, signal: AbortSignal.abort() }, "m")).toBe(thrown);
  });
});
