import { createMasker, mask } from "../util/create-masker.ts";

/** Hides secrets in a text, and cuts it when it is longer than `maxLength`. */
export type Redactor = (text: string, maxLength?: number) => string;

const secretNames = new Set([
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "apikeys",
  "token",
  "accesstoken",
  "refreshtoken",
  "idtoken",
  "authtoken",
  "bearertoken",
  "sessiontoken",
  "password",
  "passwd",
  "passphrase",
  "secret",
  "clientsecret",
  "secretkey",
  "secretaccesskey",
  "privatekey",
  "credential",
  "credentials",
]);

/**
 * Whether a header or field of this name holds a secret. Names are compared whole, in any spelling: `apiKey`, `api_key` and
 * `X-OpenAI-Api-Key` do, `maxTokens` does not.
 */
export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z\d]/g, "");
  return letters.endsWith("apikey") || secretNames.has(letters);
}

/** Secrets that show themselves by what stands before them. Each first group is kept. */
const patterns = [
  /(\bBearer\s+)[\w.~+/=-]{8,}/gi,
  /([?&](?:key|token|access_token)=)[^&\s"'#]+/gi,
  /((?:authorization|api[-_]?key|access[-_]?token|client[-_]?secret|password)\\?["']?\s*[:=]\s*\\?["']?(?:(?:Bearer|Basic)\s+)?)(?!Bearer\s|Basic\s)[^\s"'\\,;&}[\]]+/gi,
];

/** Makes a redactor that hides these values wherever they stand, and what looks like a secret in a URL, header or object. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const maskSecrets = createMasker(secrets);
  return (text, maxLength) =>
    patterns.reduce((rest, pattern) => rest.replace(pattern, `$1${mask}`), maskSecrets(text, maxLength));
}
