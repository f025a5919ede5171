import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Service } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import { untilAborted } from "@troupe/core/kit";
import { isLoopback } from "./credentials-file.ts";
import type { OAuthClient } from "./credentials-file.ts";
import { requestToken } from "./token-endpoint.ts";
import type { IssuedToken } from "./token-endpoint.ts";

/** The OAuth client, the permissions to ask for, and a callback that shows the user the address to open. */
export type AuthorizeOptions = {
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  readonly server: Service;
  /** Called with the address that the user opens in a browser. */
  readonly showUrl: (url: string) => void;
  /** Ends the wait for the user's permission. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Asks a user for permission in the browser, and returns the tokens. The browser is redirected with the answer to a
 * port of this machine (RFC 8252). An answer counts only if it contains the state of this request, and only this
 * process can redeem the code in it (PKCE).
 */
export async function authorize({ client, scopes, server, showUrl, signal }: AuthorizeOptions): Promise<IssuedToken> {
  const state = randomBytes(32).toString("base64url");
  const verifier = randomBytes(32).toString("base64url");
  const listener = createServer();
  try {
    const redirect = await listen(listener, client.redirectUris);
    const code = receiveCode(listener, { path: redirect.path, state });
    // Prevents an unhandled rejection: the code is awaited later, and the user may refuse before that.
    code.catch(() => {});
    showUrl(authorizationUrl(client, { redirectUri: redirect.uri, state, verifier, scopes }));
    return await requestToken(server, {
      client,
      grant: {
        grant_type: "authorization_code",
        code: await untilAborted(() => code, signal),
        redirect_uri: redirect.uri,
        code_verifier: verifier,
      },
    });
  } finally {
    listener.close();
    listener.closeAllConnections();
  }
}

type UrlParts = { redirectUri: string; state: string; verifier: string; scopes: readonly string[] };

function authorizationUrl(
  { authUrl, clientId }: OAuthClient,
  { redirectUri, state, verifier, scopes }: UrlParts,
): string {
  const url = new URL(authUrl);
  const fields = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    // Without `access_type`, Google returns no refresh token. Without `prompt`, it returns one only the first time.
    access_type: "offline",
    prompt: "consent",
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/** The address of the redirect in the form sent to the authorization server, and its path. */
type RedirectAddress = { uri: string; path: string };

/** Listens only on this machine: on any free port, or, for a web client, on the port of its registered address. */
async function listen(listener: Server, registered: readonly string[] | undefined): Promise<RedirectAddress> {
  const fixed = registered === undefined ? undefined : findLocalUri(registered);
  const url = new URL(fixed ?? "http://127.0.0.1/");
  const port = fixed === undefined ? 0 : Number(url.port || 80);
  await new Promise<void>((resolve, reject) => {
    listener.once("error", (cause) => reject(cannotListen(cause)));
    listener.listen(port, url.hostname === "[::1]" ? "::1" : "127.0.0.1", resolve);
  });
  url.port = String((listener.address() as AddressInfo).port);
  // The redirect address is sent exactly as it is registered, because the server compares it character by character.
  return { uri: fixed ?? url.href, path: url.pathname };
}

function findLocalUri(registered: readonly string[]): string {
  const local = registered.find((uri) => {
    const url = URL.parse(uri);
    return url?.protocol === "http:" && isLoopback(url.hostname);
  });
  if (local !== undefined) return local;
  throw new TroupeError(
    "invalid_config",
    "This web client has no redirect address on this machine. Make an OAuth client for a desktop app, or register http://127.0.0.1:8085/.",
  );
}

function cannotListen(cause: unknown): TroupeError {
  return new TroupeError(
    "unavailable",
    "The port for the redirect cannot be opened on this machine. Free it, or use an OAuth client for a desktop app, which takes any port.",
    { cause },
  );
}

type Redirect = { path: string; state: string };

/**
 * Waits for the browser's redirect and returns its code. Rejects with `forbidden` if the user refused. Requests without
 * the right state are refused and change nothing.
 */
function receiveCode(listener: Server, { path, state }: Redirect): Promise<string> {
  return new Promise((resolve, reject) => {
    listener.on("request", (request, response) => {
      const url = URL.parse(request.url ?? "", "http://127.0.0.1");
      if (request.method !== "GET" || url?.pathname !== path) return sendPage(response, 404, "Not found.");
      if (!isEqual(url.searchParams.get("state") ?? "", state)) {
        return sendPage(
          response,
          400,
          "This answer belongs to another request. Open the address of the command again.",
        );
      }
      const code = url.searchParams.get("code") ?? "";
      // The promise settles once the page is sent or the browser has disconnected.
      response.once("close", () => (code === "" ? reject(refused()) : resolve(code)));
      const told = code === "" ? "No permission was given." : "Permission was given.";
      return sendPage(response, 200, `${told} You can close this page.`);
    });
  });
}

function refused(): TroupeError {
  return new TroupeError("forbidden", "No permission was given in the browser. Run the command again to try again.");
}

function sendPage(response: ServerResponse, status: number, text: string): void {
  const type = "text/plain; charset=utf-8";
  response.writeHead(status, { "content-type": type, "cache-control": "no-store", connection: "close" });
  response.end(`${text}\n`);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
