import { TroupeError } from "@troupe/core";
import { readEnvironment } from "@troupe/core/kit";

/** Recipients of the WhatsApp tools: the default recipient, and the allowed recipients. */
export type RecipientOptions = {
  readonly recipientWaid?: string | undefined;
  readonly allowedRecipients?: readonly string[] | undefined;
};

/** Returns the JSON Schema of the parameter `to` of the sending tools. */
export function recipientParameter({ allowedRecipients }: RecipientOptions) {
  const allowed = allowedRecipients === undefined ? "" : " Only numbers that the operator has allowed are accepted.";
  const description = `Phone number of the recipient with its country code, such as +15551234567. Leave it out for the usual recipient, if there is one.${allowed}`;
  return { type: "string", description, maxLength: 40 } as const;
}

/**
 * Returns a phone number in WhatsApp's format, digits with the country code. `undefined` if it is not a phone number.
 */
export function readNumber(text: string): string | undefined {
  if (text.length > 40) return undefined;
  const digits = text
    .trim()
    .replace(/^\+/, "")
    .replaceAll(/[ ().-]/g, "");
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}

/**
 * Returns the number that a message is sent to: the number in the call, else the default number. Throws
 * `invalid_request` for a missing or invalid number, and `forbidden` for a number that is neither allowed nor the
 * default.
 */
export function readRecipient(to: unknown, { recipientWaid, allowedRecipients }: RecipientOptions): string {
  const usual = recipientWaid ?? environmentRecipient();
  if (to === undefined || to === "") {
    if (usual !== undefined) return usual;
    throw new TroupeError(
      "invalid_request",
      "to is missing. Pass a phone number with its country code, such as +15551234567.",
    );
  }
  const number = typeof to === "string" ? readNumber(to) : undefined;
  if (number === undefined) {
    throw new TroupeError(
      "invalid_request",
      "to must be a phone number with its country code, such as +15551234567, of 7 to 15 digits and without leading zeros.",
    );
  }
  if (allowedRecipients === undefined || allowedRecipients.includes(number) || number === usual) return number;
  throw new TroupeError(
    "forbidden",
    "to is not among the recipients that this tool may send to, so nothing was sent. Ask the operator to add it to allowedRecipients.",
  );
}

function environmentRecipient(): string | undefined {
  const found = readEnvironment("WHATSAPP_RECIPIENT_WAID");
  if (found === undefined) return undefined;
  const number = readNumber(found.value);
  if (number !== undefined) return number;
  throw new TroupeError(
    "invalid_config",
    "The environment variable WHATSAPP_RECIPIENT_WAID must be a phone number with its country code, such as +15551234567.",
  );
}
