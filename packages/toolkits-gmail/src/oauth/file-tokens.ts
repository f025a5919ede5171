import { serviceError } from "@troupe-internal/toolkit";
import type { Service } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { untilAborted } from "@troupe/core/kit";
import { readCredentials } from "./credentials-file.ts";
import type { OAuthClient } from "./credentials-file.ts";
import { requestToken, serviceName, tokenAdvice } from "./token-endpoint.ts";
import { readTokenFile, saveTokenFile, withToken } from "./token-file.ts";
import type { StoredTokens, TokenFile } from "./token-file.ts";

/** A request for an access token: its signal, the run's logger, and a token that Gmail has just refused. */
export type TokenCall = {
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly refused?: string | undefined;
};

/** Source of access tokens for the Gmail API. */
export interface TokenSource {
  /** Returns a token that appears valid and is not the refused token. */
  getToken(call: TokenCall): Promise<string>;
}

/** Files of a `FileTokens`, and the authorization server. */
export type FileTokensOptions = {
  readonly tokenPath: string;
  /** The file of the OAuth client. @default the OAuth client in the token file */
  readonly credentialsPath?: string | undefined;
  readonly server: Service;
};

/**
 * Milliseconds before the expiry of a token at which it is refreshed, because a request takes time and clocks differ.
 */
const marginMs = 60_000;

/**
 * Access tokens from a token file. A token is refreshed before it expires, once for all waiting calls, and saved. The
 * file is read before each refresh, so that tokens written by another process or the token command are used.
 */
export class FileTokens implements TokenSource {
  readonly #options: FileTokensOptions;
  /** The content of the token file as last read, and the same content with the tokens that were refreshed since. */
  #known: { read: string; file: TokenFile } | undefined;
  #renewal: Promise<string> | undefined;
  #warned = false;

  constructor(options: FileTokensOptions) {
    this.#options = options;
  }

  async getToken({ signal, logger, refused }: TokenCall): Promise<string> {
    const token = usableToken(this.#known?.file.tokens, refused);
    if (token !== undefined) return token;
    // The signal of one call does not abort the refresh, because other calls wait for it too.
    this.#renewal ??= this.#renew(logger, refused).finally(() => (this.#renewal = undefined));
    const renewal = this.#renewal;
    return await untilAborted(() => renewal, signal);
  }

  async #renew(logger: Logger, refused: string | undefined): Promise<string> {
    const file = await this.#readFile();
    const token = usableToken(file.tokens, refused);
    if (token !== undefined) return token;
    const { refreshToken } = file.tokens;
    if (refreshToken === undefined) {
      const happened = "needs a new access token, and the file at tokenPath holds no refresh token";
      throw serviceError(serviceName, { problem: "credential_refused", happened, advice: tokenAdvice });
    }
    const client = await this.#readClient(file.tokens);
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
    const issued = await requestToken(this.#options.server, { client, grant });
    const fields = withToken(file.fields, issued);
    const { accessToken, expiresAt, refreshToken: kept = refreshToken } = issued;
    const tokens = { client, accessToken, refreshToken: kept, ...(expiresAt !== undefined && { expiresAt }) };
    await this.#keep({ fields, tokens }, logger);
    return accessToken;
  }

  /**
   * Reads the token file. As long as the file has not changed, the tokens in memory are used, because saving newer
   * tokens may have failed.
   */
  async #readFile(): Promise<TokenFile> {
    const file = await readTokenFile(this.#options.tokenPath);
    const read = JSON.stringify(file.fields);
    if (this.#known?.read !== read) this.#known = { read, file };
    return this.#known.file;
  }

  async #readClient({ client }: StoredTokens): Promise<OAuthClient> {
    const { credentialsPath } = this.#options;
    if (credentialsPath !== undefined) return await readCredentials(credentialsPath);
    if (client !== undefined) return client;
    throw new TroupeError(
      "invalid_config",
      "The token file names no OAuth client, which is needed to refresh the token. Set credentialsPath to the JSON of the OAuth client.",
    );
  }

  async #keep(file: TokenFile, logger: Logger): Promise<void> {
    const read = this.#known?.read ?? "";
    this.#known = { read, file };
    try {
      const now = await readTokenFile(this.#options.tokenPath);
      // The token command or another process has written the file during the refresh. The token in the file is as good,
      // or newer.
      if (JSON.stringify(now.fields) !== read) return;
      await saveTokenFile(this.#options.tokenPath, file.fields);
      this.#known = { read: JSON.stringify(file.fields), file };
    } catch (error) {
      this.#warnOnce(logger, error);
    }
  }

  #warnOnce(logger: Logger, error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    logger.warn(
      "The refreshed Gmail token cannot be saved at tokenPath, and is kept in memory. Make its folder writable to keep it over a restart.",
      { code },
    );
  }
}

function usableToken(tokens: StoredTokens | undefined, refused: string | undefined): string | undefined {
  const { accessToken, expiresAt = Infinity } = tokens ?? {};
  return accessToken !== refused && expiresAt - marginMs > Date.now() ? accessToken : undefined;
}
