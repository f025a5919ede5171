import { readFile } from "node:fs/promises";
import { TroupeError } from "@troupe/core";
import { readObject, readText } from "@troupe/core/kit";

/** An OAuth client as Google registers it, with the addresses of its authorization server. */
export type OAuthClient = {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  /** Redirect addresses of a web client. A desktop client may use any address of this machine. */
  readonly redirectUris?: readonly string[];
};

const defaultAuthUrl = "https://accounts.google.com/o/oauth2/v2/auth";
const defaultTokenUrl = "https://oauth2.googleapis.com/token";

/**
 * Reads the JSON file of an OAuth client, as downloaded from the Google Cloud console for desktop apps (`installed`)
 * and web apps (`web`). Rejects with `invalid_config` for anything else.
 */
export async function readCredentials(path: string): Promise<OAuthClient> {
  const content = await readJsonFile(path, "credentialsPath");
  const { installed, web, type } = content;
  if (type === "service_account") {
    throw new TroupeError(
      "invalid_config",
      "credentialsPath leads to the key of a service account, which has no mailbox. Use the JSON of an OAuth client, or pass an authClient that acts for a user.",
    );
  }
  const client = toClient(readObject(installed ?? web));
  if (client === undefined) {
    throw new TroupeError(
      "invalid_config",
      'credentialsPath must lead to the JSON of an OAuth client, with client_id below "installed" or "web". Download it from the Google Cloud console, under Clients.',
    );
  }
  if (installed !== undefined) return client;
  const { redirect_uris: uris } = readObject(web);
  return { ...client, redirectUris: Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [] };
}

/**
 * Reads an OAuth client from fields with Google's names. Returns `undefined` if the fields hold no client. Throws
 * `invalid_config` for an address without TLS.
 */
export function toClient(fields: Readonly<Record<string, unknown>>): OAuthClient | undefined {
  const [clientId, clientSecret] = [readText(fields["client_id"]), readText(fields["client_secret"])];
  if (clientId === "") return undefined;
  return {
    clientId,
    ...(clientSecret !== "" && { clientSecret }),
    authUrl: safeUrl(fields["auth_uri"], "auth_uri") ?? defaultAuthUrl,
    tokenUrl: safeUrl(fields["token_uri"], "token_uri") ?? defaultTokenUrl,
  };
}

/** Reads a JSON file that an option names. Rejects with `invalid_config`, without quoting the file. */
async function readJsonFile(path: string, option: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new TroupeError("invalid_config", `The file of ${option} cannot be read. Check the path and its rights.`, {
      cause,
    });
  });
  try {
    return readObject(JSON.parse(text));
  } catch {
    // The parser's error is not the cause, because its message quotes the file.
    throw new TroupeError("invalid_config", `The file of ${option} is not JSON. Make it again.`);
  }
}

/**
 * Reads an address of the authorization server. Secrets are sent to these addresses, so they must use TLS, or be on
 * this machine, as in tests.
 */
function safeUrl(value: unknown, field: string): string | undefined {
  if (value === undefined) return undefined;
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isLocal = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url?.protocol === "https:" || isLocal) return url.href;
  throw new TroupeError("invalid_config", `${field} of the OAuth client must be an https: address.`);
}

/** Returns true if a host name means this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "127.0.0.1" || hostname === "localhost" || hostname === "[::1]";
}
