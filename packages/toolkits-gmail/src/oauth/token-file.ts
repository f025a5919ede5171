import { randomBytes } from "node:crypto";
import { open, readFile, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { serviceError } from "@troupe-internal/toolkit";
import type { TroupeError } from "@troupe/core";
import { readObject, readText } from "@troupe/core/kit";
import { toClient } from "./credentials-file.ts";
import type { OAuthClient } from "./credentials-file.ts";
import type { IssuedToken } from "./token-endpoint.ts";
import { serviceName, tokenAdvice } from "./token-endpoint.ts";

/** The tokens in a token file, and the OAuth client if the file contains it. */
export type StoredTokens = {
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** The expiry of the access token in epoch milliseconds. */
  readonly expiresAt?: number;
  readonly client?: OAuthClient;
};

/** The content of a token file: its original fields, and the tokens read from them. */
export type TokenFile = { readonly fields: Readonly<Record<string, unknown>>; readonly tokens: StoredTokens };

/**
 * Reads a token file in a format of Google's libraries and examples: raw tokens, `authorized_user`, or the format of
 * the Python library. Rejects with `unauthorized` if the file is missing or contains no token, and with
 * `invalid_config` for an OAuth client whose address does not use TLS.
 */
export async function readTokenFile(path: string): Promise<TokenFile> {
  const text = await readFile(path, "utf8").catch(() => {
    throw missing("there is no readable file at tokenPath");
  });
  const fields = parse(text);
  const tokens = toTokens(fields);
  if (tokens.accessToken === undefined && tokens.refreshToken === undefined) {
    throw missing("the file at tokenPath holds neither access_token nor refresh_token");
  }
  return { fields, tokens };
}

function missing(why: string): TroupeError {
  return serviceError(serviceName, {
    problem: "credential_missing",
    happened: `needs a token, and ${why}`,
    advice: tokenAdvice,
  });
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return readObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function toTokens(fields: Readonly<Record<string, unknown>>): StoredTokens {
  const { expiry_date: date, expiry } = fields;
  const accessToken = readText(fields["access_token"]) || readText(fields["token"]);
  const refreshToken = readText(fields["refresh_token"]);
  // Python writes UTC times, sometimes without a time zone.
  const written =
    typeof expiry === "string" ? Date.parse(/Z|[+-]\d\d:?\d\d$/.test(expiry) ? expiry : `${expiry}Z`) : NaN;
  const expiresAt = typeof date === "number" ? date : written;
  const client = toClient(fields);
  return {
    // An access token may have only visible ASCII characters, as headers require.
    ...(/^[!-~]+$/.test(accessToken) && { accessToken }),
    ...(refreshToken !== "" && { refreshToken }),
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
    ...(client !== undefined && { client }),
  };
}

/** Returns the fields of a token file with a new token, in the file's own format. */
export function withToken(fields: TokenFile["fields"], issued: IssuedToken): Record<string, unknown> {
  const { accessToken, refreshToken, expiresAt, scope } = issued;
  const isPython = typeof fields["token"] === "string";
  const { expiry_date: _date, expiry: _expiry, ...kept } = fields;
  return {
    ...kept,
    [isPython ? "token" : "access_token"]: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(expiresAt !== undefined &&
      (isPython ? { expiry: new Date(expiresAt).toISOString() } : { expiry_date: expiresAt })),
    ...(scope !== undefined && !isPython && { scope }),
  };
}

/**
 * Writes a token file that only its owner can read. It is written to a temporary file and renamed, so that a reader
 * finds the old or the new content, even after a crash. A symbolic link is preserved.
 */
export async function saveTokenFile(path: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(fields, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
