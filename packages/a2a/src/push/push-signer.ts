import { createPublicKey, generateKeyPairSync, hash, sign } from "node:crypto";
import type { JsonWebKey, KeyObject } from "node:crypto";

/** Seconds for which the signature of a push notification is valid. */
const lastsSeconds = 300;

/** The facts of a notification that its signature covers. */
export type SignedFacts = {
  readonly body: string;
  /** The address that the notification is sent to. */
  readonly url: string;
  readonly taskId: string;
  /** The id of the notification, which all attempts to send it share. */
  readonly id: string;
};

/**
 * Signs notifications with JSON Web Tokens that contain a hash of the body. Publishes the public key with which
 * receivers verify them.
 */
export class PushSigner {
  /** The public key, as a JSON Web Key Set. */
  readonly keySet: { readonly keys: readonly JsonWebKey[] };
  readonly #key: KeyObject;
  readonly #head: string;
  readonly #algorithm: string;
  readonly #issuer: string | undefined;

  /** Makes a signer. Without a key, it makes a new EC key. `issuer` is the address of the server, if known. */
  constructor(key: KeyObject | undefined, issuer: string | undefined) {
    this.#key = key ?? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    this.#issuer = issuer;
    this.#algorithm = algorithmOf(this.#key);
    const jwk = createPublicKey(this.#key).export({ format: "jwk" });
    const kid = thumbprintOf(jwk);
    this.keySet = { keys: [{ ...jwk, kid, alg: this.#algorithm, use: "sig" }] };
    this.#head = encode({ alg: this.#algorithm, typ: "JWT", kid });
  }

  /** Returns the signed JSON Web Token for a notification that is sent now. */
  sign({ body, url, taskId, id }: SignedFacts): string {
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      ...(this.#issuer !== undefined && { iss: this.#issuer }),
      aud: url,
      iat,
      exp: iat + lastsSeconds,
      jti: id,
      taskId,
      request_body_sha256: hash("sha256", body, "hex"),
    };
    const text = `${this.#head}.${encode(claims)}`;
    return `${text}.${this.#signatureOf(Buffer.from(text)).toString("base64url")}`;
  }

  #signatureOf(bytes: Buffer): Buffer {
    if (this.#algorithm === "EdDSA") return sign(null, bytes, this.#key);
    return sign("sha256", bytes, { key: this.#key, dsaEncoding: "ieee-p1363" });
  }
}

function algorithmOf({ asymmetricKeyType: type }: KeyObject): string {
  if (type === "rsa") return "RS256";
  return type === "ec" ? "ES256" : "EdDSA";
}

/** Returns the id of a public key: its RFC 7638 thumbprint. */
function thumbprintOf({ crv, e, kty, n, x, y }: JsonWebKey): string {
  const members = { crv, e, kty, n, x, y };
  return hash("sha256", JSON.stringify(members), "base64url");
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
