import { TroupeError } from "@troupe/core";
import { isMailAddress, parseAddress } from "./mime/address.ts";
import type { MailAddress } from "./mime/address.ts";

/** Limits of a mail's recipients: how many, and which. */
export type RecipientLimits = {
  readonly maxRecipients: number;
  /** Addresses, and domains with a leading `@`. @default any */
  readonly allowedRecipients?: readonly string[] | undefined;
};

/** Checked recipients of a mail. Each address appears once. */
export type Recipients = {
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly replyTo?: MailAddress | undefined;
};

/** Returns true if a value is a valid entry of `allowedRecipients`: a mail address, or `@` and a domain. */
export function isRecipientEntry(value: unknown): boolean {
  return typeof value === "string" && isMailAddress(value.startsWith("@") ? `a${value}` : value);
}

/**
 * Reads the recipients of a mail from the arguments of a tool call, including `cc`, `bcc` and `replyTo`. Throws
 * `invalid_request` for an invalid address or too many addresses, and `forbidden` for an address that is not allowed.
 */
export function readRecipients(args: Readonly<Record<string, unknown>>, limits: RecipientLimits): Recipients {
  const taken = new Set<string>();
  const read = (field: string) => {
    const value = args[field] ?? [];
    const texts = typeof value === "string" ? [value] : value;
    if (!Array.isArray(texts)) throw wrongList(field);
    return texts.flatMap((text: unknown, index) => {
      const parsed = readOne(`${field}[${index}]`, text, limits);
      const key = parsed.address.toLowerCase();
      if (taken.has(key)) return [];
      taken.add(key);
      return [parsed];
    });
  };
  const [to, cc, bcc] = [read("to"), read("cc"), read("bcc")];
  if (to.length === 0) throw wrongList("to");
  if (taken.size > limits.maxRecipients) throw tooMany(taken.size, limits.maxRecipients);
  const { replyTo } = args;
  return { to, cc, bcc, ...(replyTo !== undefined && { replyTo: readOne("replyTo", replyTo, limits) }) };
}

function readOne(field: string, text: unknown, { allowedRecipients }: RecipientLimits): MailAddress {
  const parsed = parseAddress(field, typeof text === "string" ? text : "");
  if (allowedRecipients === undefined || isAllowed(parsed.address, allowedRecipients)) return parsed;
  throw new TroupeError(
    "forbidden",
    `${field} is not among the recipients that this tool may send to, so nothing was sent. Ask the operator to add it to allowedRecipients.`,
  );
}

/**
 * Returns true if an address or its domain is allowed. Case is ignored, because the addresses contain only ASCII
 * characters.
 */
function isAllowed(address: string, allowed: readonly string[]): boolean {
  const own = address.toLowerCase();
  const domain = own.slice(own.lastIndexOf("@"));
  return allowed.some((entry) => {
    const allowedEntry = entry.toLowerCase();
    return allowedEntry === own || allowedEntry === domain;
  });
}

function wrongList(field: string): TroupeError {
  return new TroupeError("invalid_request", `${field} must be an array of mail addresses, with at least one in "to".`);
}

function tooMany(count: number, most: number): TroupeError {
  return new TroupeError(
    "invalid_request",
    `The mail has ${count} recipients, and at most ${most} are allowed. Nothing was sent: send it to fewer.`,
  );
}
