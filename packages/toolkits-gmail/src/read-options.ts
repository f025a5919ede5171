import { maxResultsOption, toolkitChecks } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import {
  booleanOption,
  arrayOf,
  baseUrlOption,
  integerOption,
  methodsOption,
  nonBlankString,
  optional,
  readOptions,
  customOption,
} from "@troupe/core/kit";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import type { AuthClient, GmailOptions } from "./gmail-options.ts";
import { isRecipientEntry } from "./recipients.ts";

const recipientEntry = customOption<string>("a mail address, or @ and a domain", isRecipientEntry);
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
  authClient: optional(methodsOption<AuthClient>("an object such as an OAuth2Client", "getAccessToken")),
  enableSend: optional(booleanOption, true),
  enableSearch: optional(booleanOption, true),
  enableRead: optional(booleanOption, true),
  allowedRecipients: optional(allowedRecipients),
  maxRecipients: optional(integerOption(1, 500), 20),
  maxResults: maxResultsOption(50, 10),
  maxTextLength: optional(integerOption(100, 1_000_000), 20_000),
  baseURL: optional(baseUrlOption, "https://gmail.googleapis.com"),
  ...toolkitChecks,
} satisfies OptionTable<GmailOptions>;

/** The checked options of a `GmailToolkit`, with defaults. */
export type GmailSettings = OptionsOf<typeof optionTable>;

/**
 * Checks the options of a `GmailToolkit`. Throws `invalid_config` for wrong options, and for options that exclude each
 * other or have no effect.
 */
export function readGmailOptions(options: GmailOptions): GmailSettings {
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

function refuseWithoutEffect(options: GmailOptions, names: readonly (keyof GmailOptions)[], off: string) {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new TroupeError("invalid_config", `${given} has no effect, because ${off} is false. Leave it out.`);
}
