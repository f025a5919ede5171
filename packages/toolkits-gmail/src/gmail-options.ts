import type { NetworkOptions } from "@troupe/core";

/**
 * A client that has access tokens and refreshes them itself, such as `OAuth2Client` and `GoogleAuth` of
 * google-auth-library, or any object with this method.
 */
export interface AuthClient {
  /** Returns a valid access token, or an object that holds it as `token`. */
  getAccessToken(): Promise<string | null | undefined | { token?: string | null | undefined }>;
}

/** Options of a `GmailToolkit`: either `tokenPath`, usually with `credentialsPath`, or `authClient`. */
export type GmailOptions = NetworkOptions & {
  /**
   * The JSON file of an OAuth client, as downloaded from the Google Cloud console. @default the client in the token
   * file
   */
  credentialsPath?: string | undefined;
  /** The token file, made by the token command. Refreshed tokens are saved in it. */
  tokenPath?: string | undefined;
  /** A client with its own access tokens, such as an `OAuth2Client` of google-auth-library. */
  authClient?: AuthClient | undefined;
  /** Gives the agent `gmail_send`. @default true */
  enableSend?: boolean | undefined;
  /** Gives the agent `gmail_search`. @default true */
  enableSearch?: boolean | undefined;
  /** Gives the agent `gmail_read`. @default true */
  enableRead?: boolean | undefined;
  /**
   * The recipients that `gmail_send` may send to, including `cc`, `bcc` and `replyTo`: whole addresses, or `@domain`
   * for a whole domain. @default any
   */
  allowedRecipients?: readonly string[] | undefined;
  /** Largest number of recipients of one mail, 1 to 500. @default 20 */
  maxRecipients?: number | undefined;
  /** Largest number of mails that a search returns, 1 to 50. @default 10 */
  maxResults?: number | undefined;
  /** Largest number of characters of a mail's text that `gmail_read` returns. @default 20000 */
  maxTextLength?: number | undefined;
  /** Milliseconds that one call of a tool may take. @default 15000 */
  timeoutMs?: number | undefined;
  /** The address of the API. @default "https://gmail.googleapis.com" */
  baseURL?: string | undefined;
};
