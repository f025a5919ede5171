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
 * Returns true if a header or field of this name holds a secret. It is a name that ends in `apiKey`, or a known whole
 * name, in any spelling: `api_key`, `X-OpenAI-Api-Key` and `token`, but not `maxTokens`.
 */
export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z\d]/g, "");
  return letters.endsWith("apikey") || secretNames.has(letters);
}

/**
 * Patterns of secrets that are recognised by the characters before them. These characters are the first group and are
 * kept.
 */
const patterns = [
  // A short token after `Bearer` at the end of a cut string is the beginning of a longer token.
  /(\bBearer\s+)(?:[\w.~+/=-]{8,}|[\w.~+/=-]+(?=…$))/gi,
  /([?&](?:key|token|access_token)=)[^&\s"'#]+/gi,
  /((?:authorization|api[-_]?key|access[-_]?token|client[-_]?secret|password)\\?["']?\s*[:=]\s*\\?["']?(?:(?:Bearer|Basic)\s+)?)(?!Bearer\s|Basic\s)[^\s"'\\,;&}[\]]+/gi,
];

/** Matches the scheme before the token in the value of a header `Authorization`. */
const scheme = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;

/**
 * Makes a redactor that masks these values. For the value of a header `Authorization`, it also masks the token alone.
 * It also masks text that looks like a secret in a URL, header or object.
 */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const maskSecrets = createMasker([...secrets].flatMap((secret) => [secret, secret.replace(scheme, "")]));
  return (text, maxLength) =>
    patterns.reduce((rest, pattern) => rest.replace(pattern, `$1${redactedText}`), maskSecrets(text, maxLength));
}
