import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pushOption } from "./push-options.ts";

const defaults = {
  allowPrivateHosts: [],
  timeoutMs: 10_000,
  maxPerTask: 10,
};
const read = (given: unknown) => pushOption(given, "pushNotifications", {});
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const pem = { type: "pkcs8", format: "pem" } as const;

describe("the option pushNotifications", () => {
  it("is off, on with defaults, or on with its options", () => {
    expect(read(false)).toBe(false);
    expect(read(true)).toStrictEqual(defaults);
    expect(read({})).toStrictEqual(defaults);
    const given = {
      allowPrivateHosts: ["127.0.0.1:8080"],
      timeoutMs: 1,
      maxAttempts: 1000,
      retryMs: 2,
      maxPerTask: 100,
      lookup: () => undefined,
    };
    expect(read(given)).toStrictEqual(given);
  });

  it.each([
    ["EC P-256", p256],
    ["RSA of 2048 bits", generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
    ["Ed25519", generateKeyPairSync("ed25519").privateKey],
  ])("takes a key as it is and in PEM: %s", (_what, key) => {
    for (const signingKey of [key, key.export(pem).toString()]) {
      const settings = read({ signingKey });
      expect(settings !== false && settings.signingKey?.equals(key)).toBe(true);
    }
  });

  it.each([
    ["RSA of 1024 bits", generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey],
    ["EC P-384", generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey],
    ["Ed448", generateKeyPairSync("ed448").privateKey],
    ["a public key", createPublicKey(p256)],
    ["no PEM", "canary"],
    ["bytes", p256.export({ type: "pkcs8", format: "der" })],
    ["a key in an object", { key: p256.export(pem) }],
    ["an empty text", ""],
  ])("refuses a key that cannot sign, and does not show it: %s", (_what, signingKey) => {
    const sentence =
      "signingKey must be a private key in PEM or as a KeyObject: RSA of 2048 bits or more, EC P-256 or Ed25519";
    expect(() => read({ signingKey })).toThrow(sentence);
    expect(() => read({ signingKey })).not.toThrow("canary");
  });

  const of = "pushNotifications";
  it.each<[unknown, string]>([
    [null, `${of} must be an object, got null.`],
    ["yes", `${of} must be an object, got a string.`],
    [{ timeoutMs: 0 }, `${of}.timeoutMs must be an integer from 1 to 2147483647, got 0.`],
    [{ maxAttempts: 0 }, `${of}.maxAttempts must be an integer from 1 to 1000, got 0.`],
    [{ maxAttempts: 1001 }, `${of}.maxAttempts must be an integer from 1 to 1000, got 1001.`],
    [{ retryMs: 0 }, `${of}.retryMs must be an integer from 1 to 2147483647, got 0.`],
    [{ retryMs: 2 ** 31 }, `${of}.retryMs must be an integer from 1 to 2147483647, got 2147483648.`],
    [{ maxPerTask: 0 }, `${of}.maxPerTask must be an integer from 1 to 100, got 0.`],
    [{ maxPerTask: 101 }, `${of}.maxPerTask must be an integer from 1 to 100, got 101.`],
    [
      { allowPrivateHosts: ["127.0.0.1"] },
      `${of}.allowPrivateHosts[0] must be a host and port, like "localhost:11434", got a string.`,
    ],
    [{ lookup: "dns" }, `${of}.lookup must be a function, got a string.`],
    [
      { retries: 1 },
      `Unknown option "retries" of ${of}. Expected signingKey, allowPrivateHosts, timeoutMs, maxAttempts, retryMs, maxPerTask or lookup. Did you mean retryMs?`,
    ],
  ])("refuses %j", (given, message) => {
    expect(() => read(given)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });
});
