import { createPublicKey, generateKeyPairSync, hash, verify } from "node:crypto";
import type { JsonWebKey } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PushSigner } from "./push-signer.ts";

const facts = { body: '{"a":"é"}', url: "https://hooks.example/a", taskId: "t", id: "n" };
const keys = {
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  EdDSA: generateKeyPairSync("ed25519").privateKey,
};
const algorithms = Object.keys(keys) as (keyof typeof keys)[];

const decode = (part = ""): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
const thumbprint = (members: object) => hash("sha256", JSON.stringify(members), "base64url");

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_999 }));
afterEach(() => void vi.useRealTimers());

describe("the token of a notification", () => {
  it.each(algorithms)("is signed by the key of the server: %s", (alg) => {
    const signer = new PushSigner(keys[alg], "https://agents.example/a2a");
    const [head, claims, signature = ""] = signer.sign(facts).split(".");
    const [jwk] = signer.keySet.keys as [JsonWebKey & { kid: string }];

    expect(decode(head)).toEqual({ alg, typ: "JWT", kid: jwk.kid });
    expect(decode(claims)).toEqual({
      iss: "https://agents.example/a2a",
      aud: facts.url,
      iat: 1_700_000_000,
      exp: 1_700_000_300,
      jti: "n",
      taskId: "t",
      request_body_sha256: hash("sha256", facts.body, "hex"),
    });
    const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
    const bytes = Buffer.from(`${head}.${claims}`);
    expect(verify(alg === "EdDSA" ? null : "sha256", bytes, key, Buffer.from(signature, "base64url"))).toBe(true);
  });

  it("has no issuer where the address of the server is not known", () => {
    const [, claims] = new PushSigner(undefined, undefined).sign(facts).split(".");
    expect(decode(claims)).not.toHaveProperty("iss");
  });
});

describe("the keys of a server", () => {
  it.each(algorithms)("are public, with an id that follows from the key: %s", (alg) => {
    const { keySet } = new PushSigner(keys[alg], undefined);
    const { kty, crv, x, y, n, e } = createPublicKey(keys[alg]).export({ format: "jwk" });
    const members = { ES256: { crv, kty, x, y }, RS256: { e, kty, n }, EdDSA: { crv, kty, x } }[alg];
    expect(keySet).toEqual({ keys: [{ ...members, kid: thumbprint(members), alg, use: "sig" }] });
  });

  it("are of P-256 and new for each server by default", () => {
    const [one, other] = [new PushSigner(undefined, undefined), new PushSigner(undefined, undefined)];
    expect(one.keySet.keys).toMatchObject([{ kty: "EC", crv: "P-256", alg: "ES256" }]);
    expect(one.keySet.keys[0]?.["kid"]).not.toBe(other.keySet.keys[0]?.["kid"]);
  });
});
