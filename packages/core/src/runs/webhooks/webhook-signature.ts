const secretPrefix = "whsec_";
/** Bytes of a secret: the least and the most that Standard Webhooks recommends. */
const secretBytes = { least: 24, most: 64 };

/** The parts of a webhook that its signature covers. */
export type SignedParts = {
  /** The id of the webhook, which all attempts to deliver it share. */
  readonly id: string;
  /** Seconds since the epoch at this attempt. */
  readonly timestamp: number;
  readonly body: string;
};

/** Returns true for a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(value: unknown): value is string {
  if (typeof value !== "string" || !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const { length } = keyOf(value);
  return length >= secretBytes.least && length <= secretBytes.most;
}

/** Returns the value of the header `webhook-signature`: one signature for each secret. */
export function signWebhook({ id, timestamp, body }: SignedParts, secrets: readonly string[]): string {
  const { createHmac } = process.getBuiltinModule("node:crypto");
  const signed = `${id}.${timestamp}.${body}`;
  return secrets.map((secret) => `v1,${createHmac("sha256", keyOf(secret)).update(signed).digest("base64")}`).join(" ");
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), "base64");
}
