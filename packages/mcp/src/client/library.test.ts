import { describe, expect, it } from "vitest";
import { loadLibrary, readStatus } from "./library.ts";

class SseError extends Error {}
const error = (fields: object, made: Error = new Error("No.")) => Object.assign(made, fields);

describe("the HTTP status of an error of the library", () => {
  it.each<[string, unknown, number | undefined]>([
    ["its status", error({ status: 404 }), 404],
    ["its status, before its code", error({ status: 404, code: 500 }, new SseError("No.")), 404],
    ["the code of the transport of 2024", error({ code: 401 }, new SseError("No.")), 401],
    ["none, where the code is the server's word", error({ code: 401 }), undefined],
    ["none, where that transport has a code that is no number", error({ code: "401" }, new SseError("No.")), undefined],
    ["none, where the status is no number", error({ status: "404" }), undefined],
    ["none of an error without one", new Error("No."), undefined],
    ["none of what is no error", { status: 404 }, undefined],
    ["none of nothing", null, undefined],
  ])("is %s", (_what, thrown, status) => {
    expect(readStatus(thrown)).toBe(status);
  });

  it("is read of the errors that the library throws", async () => {
    const library = await loadLibrary();
    expect(readStatus(new library.SseError(418, "No.", undefined as never))).toBe(418);
    expect(await loadLibrary()).toBe(library);
  });
});
