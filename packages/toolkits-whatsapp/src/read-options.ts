import { credentialOption, toolkitChecks } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import { booleanOption, arrayOf, baseUrlOption, optional, readOptions, customOption } from "@troupe/core/kit";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import { readNumber } from "./recipient.ts";
import type { WhatsAppOptions } from "./whatsapp-options.ts";

const numberOption: OptionCheck<string> = (value, name, where) => {
  const expected = customOption<string>(
    "a phone number with its country code, such as +15551234567",
    (given) => typeof given === "string" && readNumber(given) !== undefined,
  );
  return readNumber(expected(value, name, where)) ?? "";
};

const allowedRecipients: OptionCheck<string[]> = (value, name, where) => {
  const numbers = arrayOf("phone numbers", numberOption)(value, name, where);
  if (numbers.length > 0) return numbers;
  throw new TroupeError("invalid_config", "allowedRecipients must not be empty. Leave it out to allow any recipient.");
};

const optionTable = {
  accessToken: credentialOption,
  phoneNumberId: optional(
    customOption<string>("a string of 1 to 30 digits, the id of the number that sends", (value) =>
      isPhoneNumberId(value),
    ),
  ),
  version: optional(customOption<string>('a version such as "v25.0"', (value) => isVersion(value))),
  recipientWaid: optional(numberOption),
  enableSendText: optional(booleanOption, true),
  enableSendTemplate: optional(booleanOption, true),
  allowedRecipients: optional(allowedRecipients),
  baseURL: optional(baseUrlOption, "https://graph.facebook.com"),
  ...toolkitChecks,
} satisfies OptionTable<WhatsAppOptions>;

/** The checked options of a `WhatsAppToolkit`, with defaults. */
export type WhatsAppSettings = OptionsOf<typeof optionTable>;

/** Checks the options of a `WhatsAppToolkit`. Throws `invalid_config` for a wrong or unknown option. */
export function readWhatsAppOptions(options: WhatsAppOptions): WhatsAppSettings {
  return readOptions(optionTable, options, { owner: "WhatsAppToolkit" });
}

/** Returns true if a value is the id of a phone number: only digits, because it becomes part of a path. */
export function isPhoneNumberId(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,30}$/.test(value);
}

/** Returns true if a value is a version of the Graph API. */
export function isVersion(value: unknown): value is string {
  return typeof value === "string" && /^v\d{1,3}\.\d{1,2}$/.test(value);
}
