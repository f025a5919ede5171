import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pushOption } from "./push-options.ts";

const defaults = {
  allowPrivateHosts: [],
  timeoutMs: 10_000,
  maxAttempts: 8,
  retryMs: 1000,
  maxPerTask: 10,
  concurrency: 100,
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
      concurrency: 1,
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

  it.each([
    [null, "pushNotifications"],
    ["yes", "pushNotifications"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ maxAttempts: 1001 }, "maxAttempts"],
    [{ retryMs: -1 }, "retryMs"],
    [{ maxPerTask: 0 }, "maxPerTask"],
    [{ maxPerTask: 101 }, "maxPerTask"],
    [{ concurrency: 0 }, "concurrency"],
    [{ concurrency: 1.5 }, "concurrency"],
    [{ allowPrivateHosts: ["127.0.0.1"] }, "allowPrivateHosts"],
    [{ lookup: "dns" }, "lookup"],
    [{ retries: 1 }, "retries"],
  ])("refuses %j", (given, name) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(name) }),
    );
  });
});
