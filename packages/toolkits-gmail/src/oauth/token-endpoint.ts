import { serviceError } from "@troupe-internal/toolkit";
import type { Service } from "@troupe-internal/toolkit";
import type { TroupeError } from "@troupe/core";
import { readObject, readText } from "@troupe/core/kit";
import type { OAuthClient } from "./credentials-file.ts";

/** The answer of the authorization server to a token request. */
export type IssuedToken = {
  readonly accessToken: string;
  /** The refresh token. Usually missing when an access token is refreshed: the earlier refresh token stays valid. */
  readonly refreshToken?: string;
  /** The expiry of the access token in epoch milliseconds. */
  readonly expiresAt?: number;
  /** The scopes that the user granted. */
  readonly scope?: string;
};

/** A token request: the client, and the fields of its grant. */
export type TokenRequest = { readonly client: OAuthClient; readonly grant: Readonly<Record<string, string>> };

/** The advice to make the token file again. */
export const tokenAdvice = "Run the token command again (npx -p @troupe/toolkits-gmail troupe-gmail-token).";

/** The name of the service in errors. */
export const serviceName = "Gmail";

/** Largest size in bytes of the authorization server's answer. */
const maxBytes = 65_536;

/**
 * Requests a token from the authorization server. Rejects with `unauthorized` if the server refuses the grant, and with
 * `rate_limited`, `unavailable` or `timeout` if there is no usable answer. Error messages quote nothing from the
 * request or the answer.
 */
export async function requestToken(server: Service, { client, grant }: TokenRequest): Promise<IssuedToken> {
  const { clientId, clientSecret, tokenUrl } = client;
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  const { status, answer } = await server.call(undefined, async (ask) => {
    const reply = await ask({
      url: tokenUrl,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams({ ...grant, client_id: clientId, ...secret }).toString(),
      maxBytes,
    });
    return { status: reply.status, answer: readObject(reply.tryJson()) };
  });
  const accessToken = readText(answer["access_token"]);
  if (status !== 200 || !/^[!-~]+$/.test(accessToken)) throw refusal(status, readText(answer["error"]));
  const { refresh_token: refreshToken, expires_in: seconds, scope } = answer;
  return {
    accessToken,
    ...(typeof refreshToken === "string" && refreshToken !== "" && { refreshToken }),
    ...(typeof seconds === "number" && seconds > 0 && { expiresAt: Date.now() + seconds * 1000 }),
    ...(typeof scope === "string" && { scope }),
  };
}

function refusal(status: number, word: string): TroupeError {
  if (word === "invalid_grant") return tokenRevoked();
  if (word === "invalid_client" || word === "unauthorized_client") {
    const happened = "cannot be asked, because the OAuth client is not accepted";
    const advice = `Download its JSON file again, and set credentialsPath to it. ${tokenAdvice}`;
    return serviceError(serviceName, { problem: "credential_refused", happened, advice, status });
  }
  if (status === 429 || status >= 500 || status === 200) {
    const problem = status === 429 ? "rate_limited" : "unavailable";
    return serviceError(serviceName, {
      problem,
      happened: "cannot be asked, because no access token was given",
      status,
    });
  }
  const happened = "cannot be asked, because the request for an access token was refused";
  return serviceError(serviceName, { problem: "credential_refused", happened, advice: tokenAdvice, status });
}

/** Makes the error for a permission that is no longer valid. */
export function tokenRevoked(): TroupeError {
  const happened = "cannot be asked, because the permission was revoked or has expired";
  return serviceError(serviceName, { problem: "credential_refused", happened, advice: tokenAdvice });
}
