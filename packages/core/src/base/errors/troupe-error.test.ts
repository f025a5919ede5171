import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { errorCodes, TroupeError } from "./troupe-error.ts";

describe("TroupeError", () => {
  it("has a code, a message, fields and a cause", () => {
    const cause = new Error("why");
    const error = new TroupeError("not_found", "There is none.", { cause, fields: { kind: "agent" } });

    expect(error).toMatchObject({ code: "not_found", message: "There is none.", fields: { kind: "agent" }, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("TroupeError");
    expect(inspect(error)).toContain("TroupeError: There is none.");
  });

  it("has no fields and no cause unless they are given", () => {
    const error = new TroupeError("internal", "Broken.");

    expect(error.fields).toEqual({});
    expect("cause" in error).toBe(false);
  });

  it("leaves its cause out of JSON", () => {
    const error = new TroupeError("internal", "Broken.", { cause: new Error("secret"), fields: { a: 1 } });

    expect(JSON.stringify(error)).toBe('{"name":"TroupeError","code":"internal","message":"Broken.","fields":{"a":1}}');
    expect(Object.keys(error)).toEqual(["code", "fields"]);
  });

  it("recognizes its own instances, and those of another copy of core", async () => {
    vi.resetModules();
    const other = await import("./troupe-error.ts");
    const foreign = new other.TroupeError("conflict", "Busy.");

    expect(other.TroupeError).not.toBe(TroupeError);
    expect(foreign).not.toBeInstanceOf(TroupeError);
    expect(TroupeError.is(foreign)).toBe(true);
    expect(other.TroupeError.is(new TroupeError("conflict", "Busy."))).toBe(true);
  });

  it("recognizes an instance of a derived class", () => {
    class OwnError extends TroupeError {}

    expect(TroupeError.is(new OwnError("internal", "Broken."))).toBe(true);
  });

  it("does not recognize any other value, however similar", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const lookalike = { name: "TroupeError", code: "internal", message: "Broken.", fields: {} };

    for (const value of [undefined, null, "TroupeError", 5, {}, new Error("plain"), lookalike, proxy]) {
      expect(TroupeError.is(value)).toBe(false);
    }
  });

  it("lists each code once", () => {
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    expect(errorCodes).toHaveLength(25);
  });

  it("has codes that programs and transports know by their words", () => {
    expect(errorCodes.join(" ")).toBe(
      "invalid_request unauthorized forbidden not_found conflict payload_too_large unsupported_media_type " +
        "guardrail_blocked rate_limited cancelled internal model_failed structured_output_invalid context_too_long " +
        "storage_unavailable storage_corrupt unavailable timeout limit_exceeded gone idempotency_mismatch interrupted " +
        "crashed invalid_config invalid_value",
    );
  });
});
