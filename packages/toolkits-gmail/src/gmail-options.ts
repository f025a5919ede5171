import { maxResultsOption, toolkitChecks } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import {
  anyBoolean,
  arrayOf,
  baseUrlOption,
  integer,
  methods,
  nonBlankString,
  optional,
  readOptions,
  satisfying,
} from "@troupe/core/adapter";
import type { NetworkOptions, OptionCheck, OptionsOf, OptionTable } from "@troupe/core/adapter";
import type { AuthClient } from "./oauth/client-tokens.ts";
import { isRecipientEntry } from "./recipients.ts";

/** Options of a `GmailToolkit`: either `tokenPath`, as a rule with `credentialsPath`, or `authClient`. */
export type GmailToolkitOptions = NetworkOptions & {
  /** JSON file of an OAuth client, as the Google Cloud console offers it. @default the client that the token file names */
  credentialsPath?: string | undefined;
  /** File of the token, made by the token command. A refreshed token is saved in it. */
  tokenPath?: string | undefined;
  /** A client with access tokens of its own, such as an `OAuth2Client` of google-auth-library. */
  authClient?: AuthClient | undefined;
  /** @default true */
  enableSend?: boolean | undefined;
  /** @default true */
  enableSearch?: boolean | undefined;
  /** @default true */
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
  /** @default "https://gmail.googleapis.com" */
  baseURL?: string | undefined;
};

const recipientEntry = satisfying<string>("a mail address, or @ and a domain", isRecipientEntry);
const recipients = arrayOf("mail addresses or @domains", recipientEntry);

const allowedRecipients: OptionCheck<string[]> = (value, name, where) => {
  const entries = recipients(value, name, where);
  if (entries.length > 0) return entries;
  throw new TroupeError(
    "invalid_config",
    "allowedRecipients must not be empty. Leave it out to allow any recipient, or set enableSend: false.",
  );
};

const optionTable = {
  credentialsPath: optional(nonBlankString()),
  tokenPath: optional(nonBlankString()),
  authClient: optional(methods<AuthClient>("an object such as an OAuth2Client", "getAccessToken")),
  enableSend: optional(anyBoolean, true),
  enableSearch: optional(anyBoolean, true),
  enableRead: optional(anyBoolean, true),
  allowedRecipients: optional(allowedRecipients),
  maxRecipients: optional(integer(1, 500), 20),
  maxResults: maxResultsOption(50, 10),
  maxTextLength: optional(integer(100, 1_000_000), 20_000),
  baseURL: optional(baseUrlOption, "https://gmail.googleapis.com"),
  ...toolkitChecks,
} satisfies OptionTable<GmailToolkitOptions>;

/** Options of a `GmailToolkit` with their defaults. */
export type GmailSettings = OptionsOf<typeof optionTable>;

/** Checks the options of a `GmailToolkit`. Throws `invalid_config` for ones that exclude each other or have no effect. */
export function readGmailOptions(options: GmailToolkitOptions): GmailSettings {
  const settings = readOptions(optionTable, options, { owner: "GmailToolkit" });
  const { authClient, tokenPath, credentialsPath, enableSend } = settings;
  if (authClient !== undefined && (tokenPath ?? credentialsPath) !== undefined) {
    throw new TroupeError(
      "invalid_config",
      "authClient excludes tokenPath and credentialsPath, because it has tokens of its own. Leave out one or the other.",
    );
  }
  if (!enableSend) refuseWithoutEffect(options, ["allowedRecipients", "maxRecipients"], "enableSend");
  if (!settings.enableSearch) refuseWithoutEffect(options, ["maxResults"], "enableSearch");
  if (!settings.enableRead) refuseWithoutEffect(options, ["maxTextLength"], "enableRead");
  return settings;
}

function refuseWithoutEffect(options: GmailToolkitOptions, names: readonly (keyof GmailToolkitOptions)[], off: string) {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new TroupeError("invalid_config", `${given} has no effect, because ${off} is false. Leave it out.`);
}
