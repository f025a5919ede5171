import { createLogger } from "@troupe/core";
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
    const logger = createLogger({ level: "error", write: () => undefined });
    const most = { url, timeoutMs: 2 ** 31 - 1, logger, trustedOrigins: ["HTTPS://B.example:443"] };
    expect(readRemoteAgentOptions(most)).toMatchObject({ ...most, url: new URL(url) });
    const made = () => ({});
    expect(readRemoteAgentOptions({ url, headers: made }).headers).toBe(made);
    expect(readRemoteAgentOptions({ url: "HTTP://Far.example" }).url.href).toBe("http://far.example/");
  });

  const aUrl = "url must be an http: or https: URL without user, password and fragment, got";
  const anOrigin = 'must be an origin, such as "https://agents.example", got';
  const headers =
    "headers must be a function or an object with names of headers, and with strings of printable characters or null as values, got";
  const known = "Expected url, headers, name, timeoutMs, trustedOrigins, maxReplyBytes, effect or logger.";
  it.each<[unknown, string]>([
    [undefined, "The options of A2ARemoteAgent must be an object, got undefined."],
    [[], "The options of A2ARemoteAgent must be an object, got an array."],
    [{ url, retries: 1 }, `Unknown option "retries" of A2ARemoteAgent. ${known}`],
    [{ url, Name: "x" }, `Unknown option "Name" of A2ARemoteAgent. ${known} Did you mean name?`],
    [{}, `${aUrl} undefined.`],
    [{ url: new URL(url) }, `${aUrl} an object.`],
    [{ url: "" }, `${aUrl} a string.`],
    [{ url: "far.example" }, `${aUrl} a string.`],
    [{ url: "/a2a" }, `${aUrl} a string.`],
    [{ url: "ws://far.example" }, `${aUrl} a string.`],
    [{ url: "https://me@far.example" }, `${aUrl} a string.`],
    [{ url: "https://:canary@far.example" }, `${aUrl} a string.`],
    [{ url: "https://far.example/#a" }, `${aUrl} a string.`],
    [{ url, name: "" }, "name must be a string of 1 to 256 characters that is not blank, got a string."],
    [{ url, name: " \n" }, "name must be a string of 1 to 256 characters that is not blank, got a string."],
    [{ url, name: "x".repeat(257) }, "name must be a string of 1 to 256 characters that is not blank, got a string."],
    [{ url, name: null }, "name must be a string of 1 to 256 characters that is not blank, got null."],
    [{ url, timeoutMs: 0 }, "timeoutMs must be an integer from 1 to 2147483647, got 0."],
    [{ url, timeoutMs: 2 ** 31 }, "timeoutMs must be an integer from 1 to 2147483647, got 2147483648."],
    [{ url, timeoutMs: NaN }, "timeoutMs must be an integer from 1 to 2147483647, got NaN."],
    [{ url, maxReplyBytes: 1023 }, "maxReplyBytes must be an integer from 1024 to 1073741824, got 1023."],
    [{ url, maxReplyBytes: 2 ** 30 + 1 }, "maxReplyBytes must be an integer from 1024 to 1073741824, got 1073741825."],
    [{ url, trustedOrigins: "https://b.example" }, "trustedOrigins must be an array of origins, got a string."],
    [{ url, trustedOrigins: ["https://b.example/?a"] }, `trustedOrigins[0] ${anOrigin} a string.`],
    [{ url, trustedOrigins: ["https://b.example/a"] }, `trustedOrigins[0] ${anOrigin} a string.`],
    [{ url, trustedOrigins: ["https://b.example", "https://me@b.example"] }, `trustedOrigins[1] ${anOrigin} a string.`],
    [{ url, trustedOrigins: ["ftp://b.example"] }, `trustedOrigins[0] ${anOrigin} a string.`],
    [{ url, trustedOrigins: [new URL("https://b.example")] }, `trustedOrigins[0] ${anOrigin} an object.`],
    [{ url, effect: "never" }, 'effect must be "pure", "idempotent" or "once", got a string.'],
    [{ url, headers: "x-key: k" }, `${headers} a string.`],
    [{ url, headers: { "x-key": "a\nb" } }, `${headers} an object.`],
    [{ url, headers: [] }, `${headers} an array.`],
    [{ url, headers: { Host: "a" } }, "headers must not set Host, which the connection sets itself."],
    [
      { url, logger: 1 },
      "logger must be a logger such as createLogger({ level }), with the methods debug, info, warn, error, child and withSecrets, got 1.",
    ],
  ])("are refused, and told how to mend them: %j", (options, message) => {
    expect(() => readRemoteAgentOptions(options as A2ARemoteAgentOptions)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });
});
