import { credentialOption, toolkitChecks } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import { anyBoolean, arrayOf, baseUrlOption, optional, readOptions, satisfying } from "@troupe/core/adapter";
import type { ApiKeySource, NetworkOptions, OptionCheck, OptionsOf, OptionTable } from "@troupe/core/adapter";
import { readNumber } from "./recipient.ts";

/** Options of a `WhatsAppToolkit`. Those without a default here come from the environment where they are left out. */
export type WhatsAppToolkitOptions = NetworkOptions & {
  /** Token of the WhatsApp Cloud API, or a function that returns it, called for each call of a tool. @default WHATSAPP_ACCESS_TOKEN */
  accessToken?: ApiKeySource | undefined;
  /** Id of the number that sends: digits, not the number itself. @default WHATSAPP_PHONE_NUMBER_ID */
  phoneNumberId?: string | undefined;
  /** Version of the Graph API. @default WHATSAPP_VERSION, or "v25.0" */
  version?: string | undefined;
  /** Recipient of messages whose call names none. @default WHATSAPP_RECIPIENT_WAID */
  recipientWaid?: string | undefined;
  /** @default true */
  enableSendText?: boolean | undefined;
  /** @default true */
  enableSendTemplate?: boolean | undefined;
  /** The only numbers that the tools may send to, `recipientWaid` beside them. @default any */
  allowedRecipients?: readonly string[] | undefined;
  /** Milliseconds that one call of a tool may take. @default 15000 */
  timeoutMs?: number | undefined;
  /** @default "https://graph.facebook.com" */
  baseURL?: string | undefined;
};

const numberOption: OptionCheck<string> = (value, name, where) => {
  const expected = satisfying<string>(
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
    satisfying<string>("a string of digits, the id of the number that sends", (value) => isPhoneNumberId(value)),
  ),
  version: optional(satisfying<string>('a version such as "v25.0"', (value) => isVersion(value))),
  recipientWaid: optional(numberOption),
  enableSendText: optional(anyBoolean, true),
  enableSendTemplate: optional(anyBoolean, true),
  allowedRecipients: optional(allowedRecipients),
  baseURL: optional(baseUrlOption, "https://graph.facebook.com"),
  ...toolkitChecks,
} satisfies OptionTable<WhatsAppToolkitOptions>;

/** Options of a `WhatsAppToolkit` with their defaults. */
export type WhatsAppSettings = OptionsOf<typeof optionTable>;

/** Checks the options of a `WhatsAppToolkit`. */
export function readWhatsAppOptions(options: WhatsAppToolkitOptions): WhatsAppSettings {
  return readOptions(optionTable, options, { owner: "WhatsAppToolkit" });
}

/** Tells if a value is the id of a number: digits alone, because it stands in a path. */
export function isPhoneNumberId(value: unknown): value is string {
  return typeof value === "string" && /^\d{5,30}$/.test(value);
}

/** Tells if a value is a version of the Graph API. */
export function isVersion(value: unknown): value is string {
  return typeof value === "string" && /^v\d{1,3}\.\d{1,2}$/.test(value);
}
