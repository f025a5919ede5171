import { createMasker, redactedText } from "../util/create-masker.ts";

/** Replaces secrets in a string, and cuts the string to `maxLength` characters. */
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
 * Tells if a header or field of this name holds a secret. Compares whole names in any spelling: true for `apiKey`, `api_key`
 * and `X-OpenAI-Api-Key`, false for `maxTokens`.
 */
export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z\d]/g, "");
  return letters.endsWith("apikey") || secretNames.has(letters);
}

/** Secrets known by the characters before them, which are the first group and are kept. */
const patterns = [
  // A shorter one at the end of a string that was cut is the beginning of a token.
  /(\bBearer\s+)(?:[\w.~+/=-]{8,}|[\w.~+/=-]+(?=…$))/gi,
  /([?&](?:key|token|access_token)=)[^&\s"'#]+/gi,
  /((?:authorization|api[-_]?key|access[-_]?token|client[-_]?secret|password)\\?["']?\s*[:=]\s*\\?["']?(?:(?:Bearer|Basic)\s+)?)(?!Bearer\s|Basic\s)[^\s"'\\,;&}[\]]+/gi,
];

/** The scheme before the token in the value of a header `Authorization`. */
const scheme = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;

/**
 * Makes a redactor of these values. Of the value of a header `Authorization` it hides the token by itself too. It also hides
 * what looks like a secret in a URL, header or object.
 */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const maskSecrets = createMasker([...secrets].flatMap((secret) => [secret, secret.replace(scheme, "")]));
  return (text, maxLength) =>
    patterns.reduce((rest, pattern) => rest.replace(pattern, `$1${redactedText}`), maskSecrets(text, maxLength));
}
