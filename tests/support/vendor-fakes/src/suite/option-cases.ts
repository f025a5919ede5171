import assert from "node:assert/strict";
import { TroupeError } from "@troupe/core";
import type { SubjectOptions } from "./provider-subject.ts";
import type { ProviderCases } from "./provider-trial.ts";

/** Options that every provider refuses, and the beginning of its error. */
const wrong: readonly [options: object, message: RegExp][] = [
  [{ baseUrl: "https://example.com" }, /^Unknown option "baseUrl" of \w+\. Expected .*\bbaseURL\b/],
  [{ baseURL: "file:///etc" }, /^baseURL must be/],
  [{ baseURL: "localhost:8080" }, /^baseURL must be/],
  [{ baseURL: "https://user:canary@example.com" }, /^baseURL must be/],
  [{ idleTimeoutMs: 0 }, /^idleTimeoutMs must be/],
  [{ idleTimeoutMs: Infinity }, /^idleTimeoutMs must be/],
  [{ logger: () => undefined }, /^logger must be/],
  [{ headers: { host: "a" } }, /^headers must not set host/],
  [{ fetch: "canary" }, /^fetch must be/],
  [{ proxy: "http://proxy/canary" }, /^proxy must be/],
  [{ fetch, proxy: "http://proxy" }, /^fetch and proxy exclude each other/],
  [{ modelId: " " }, /^modelId must be/],
];

/** Cases of the options with which a provider is created. */
export const optionCases = {
  "refuses wrong options where they are given, and shows none of their values": ({ subject, vendor }) => {
    for (const [options, message] of wrong) {
      const create = () => subject.connect(vendor.url, { apiKey: "key-1", ...options });
      assert.throws(
        create,
        (error) => {
          assert.ok(TroupeError.is(error), `${String(error)} is no TroupeError`);
          assert.equal(error.code, "invalid_config");
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /canary/);
          return true;
        },
        `${Object.keys(options).join(" and ")} must be refused`,
      );
    }
  },
  "takes options that are undefined for absent": ({ subject, vendor }) => {
    const names = ["idleTimeoutMs", "logger", "fetch", "headers", "proxy", "dispatcher"];
    const options = Object.fromEntries(names.map((name) => [name, undefined])) as SubjectOptions;
    assert.equal(typeof subject.connect(vendor.url, options).stream, "function");
  },
} satisfies ProviderCases;
