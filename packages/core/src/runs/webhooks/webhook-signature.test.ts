import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { isWebhookSecret, signWebhook } from "./webhook-signature.ts";

const secretOf = (bytes: number): string => `whsec_${randomBytes(bytes).toString("base64")}`;

describe("the signature of a webhook", () => {
  it.each([24, 32, 33, 64])("is that of the reference implementation, with a secret of %i bytes", (bytes) => {
    const secret = secretOf(bytes);
    const date = new Date();
    const parts = { id: "msg_1", timestamp: Math.floor(date.getTime() / 1000), body: '{"type":"größe ✓"}' };

    expect(signWebhook(parts, [secret])).toBe(new Webhook(secret).sign(parts.id, date, parts.body));
  });

  it("contains one of each secret, so that a receiver verifies it with the old and with the new one", () => {
    const secrets = [secretOf(32), secretOf(24)];
    const id = "msg_2";
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signWebhook({ id, timestamp, body: "{}" }, secrets),
    };

    for (const secret of secrets) expect(new Webhook(secret).verify("{}", headers)).toEqual({});
    expect(() => new Webhook(secretOf(32)).verify("{}", headers)).toThrow("No matching signature");
    expect(() => new Webhook(secrets[0] ?? "").verify("[]", headers)).toThrow("No matching signature");
  });
});

describe("a secret of a webhook", () => {
  it.each([24, 64])("may have %i bytes", (bytes) => {
    expect(isWebhookSecret(secretOf(bytes))).toBe(true);
  });

  it.each([secretOf(23), secretOf(65), randomBytes(32).toString("base64"), `whsec_${"ä".repeat(32)}`, "whsec_", "", 5])(
    "is refused: %s",
    (value) => {
      expect(isWebhookSecret(value)).toBe(false);
    },
  );
});
