import type { NetworkOptions } from "@troupe/core";

/**
 * A client that has access tokens and refreshes them by itself, such as `OAuth2Client` and `GoogleAuth` of
 * google-auth-library, or an object with this method.
 */
export interface AuthClient {
  /** Returns a valid access token, or an object that holds it as `token`. */
  getAccessToken(): Promise<string | null | undefined | { token?: string | null | undefined }>;
}

/** Options of a `GmailToolkit`: either `tokenPath`, as a rule with `credentialsPath`, or `authClient`. */
export type GmailOptions = NetworkOptions & {
  /** JSON file of an OAuth client, as the Google Cloud console offers it. @default the client that the token file names */
  credentialsPath?: string | undefined;
  /** File of the token, made by the token command. A refreshed token is saved in it. */
  tokenPath?: string | undefined;
  /** A client with access tokens of its own, such as an `OAuth2Client` of google-auth-library. */
  authClient?: AuthClient | undefined;
  /** Gives the agent `gmail_send`. @default true */
  enableSend?: boolean | undefined;
  /** Gives the agent `gmail_search`. @default true */
  enableSearch?: boolean | undefined;
  /** Gives the agent `gmail_read`. @default true */
  enableRead?: boolean | undefined;
  /**
   * The only recipients that `gmail_send` may send to, `cc`, `bcc` and `replyTo` included: whole addresses, or `@domain`
   * for all of a domain. @default any
   */
  allowedRecipients?: readonly string[] | undefined;
  /** Most recipients of one mail, 1 to 500. @default 20 */
  maxRecipients?: number | undefined;
  /** Most mails that a search returns, 1 to 50. @default 10 */
  maxResults?: number | undefined;
  /** Most characters of a mail's text that `gmail_read` returns. @default 20000 */
  maxTextLength?: number | undefined;
  /** Milliseconds that one call of a tool may take. @default 15000 */
  timeoutMs?: number | undefined;
  /** The address of the API. @default "https://gmail.googleapis.com" */
  baseURL?: string | undefined;
};
