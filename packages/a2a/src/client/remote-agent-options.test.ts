import { describe, expect, it } from "vitest";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import type { A2ARemoteAgentOptions } from "./remote-agent-options.ts";

const url = "https://far.example/a2a?b=c";

describe("the options of a remote agent", () => {
  it("have defaults", () => {
    expect(readRemoteAgentOptions({ url })).toStrictEqual({
      url: new URL(url),
      timeoutMs: 60_000,
      trustedOrigins: [],
      maxReplyBytes: 10_485_760,
      effect: "once",
    });
  });

  it("are taken as they are", () => {
    const given: A2ARemoteAgentOptions = {
      url: "http://127.0.0.1:8080",
      headers: { "x-key": "k" },
      name: "x".repeat(256),
      timeoutMs: 1,
      trustedOrigins: ["https://b.example", "http://c.example:8080/"],
      maxReplyBytes: 1024,
      effect: "pure",
    };
    expect(readRemoteAgentOptions(given)).toStrictEqual({ ...given, url: new URL("http://127.0.0.1:8080/") });
    expect(readRemoteAgentOptions({ url, maxReplyBytes: 2 ** 30, effect: "idempotent" })).toMatchObject({
      maxReplyBytes: 2 ** 30,
      effect: "idempotent",
    });
  });

  it.each([
    [{ url: new URL(url) }, "url"],
    [{ url: "far.example" }, "url"],
    [{ url: "ws://far.example" }, "url"],
    [{ url: "https://me@far.example" }, "url"],
    [{ url: "https://:canary@far.example" }, "url"],
    [{ url: "https://far.example/#a" }, "url"],
    [{ name: "x".repeat(257) }, "name"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ timeoutMs: NaN }, "timeoutMs"],
    [{ maxReplyBytes: 1023 }, "maxReplyBytes"],
    [{ maxReplyBytes: 2 ** 30 + 1 }, "maxReplyBytes"],
    [{ trustedOrigins: "https://b.example" }, "trustedOrigins"],
    [{ trustedOrigins: ["https://b.example/?a"] }, "trustedOrigins[0]"],
    [{ trustedOrigins: ["https://b.example", "https://me@b.example"] }, "trustedOrigins[1]"],
    [{ trustedOrigins: ["ftp://b.example"] }, "trustedOrigins[0]"],
    [{ effect: "never" }, "effect"],
    [{ headers: "x-key: k" }, "headers"],
  ])("are refused, and named: %j", (fields, name) => {
    const options = { url, ...fields } as unknown as A2ARemoteAgentOptions;
    expect(() => readRemoteAgentOptions(options)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(RegExp(`\\b${name.replace(/[[\]]/g, "\\$&")} `)),
      }),
    );
    expect(() => readRemoteAgentOptions(options)).not.toThrow(/canary/);
  });
});
