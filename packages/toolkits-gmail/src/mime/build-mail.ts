import type { MailAddress } from "./address.ts";
import { addressHeader, messageIdHeader, textHeader } from "./header.ts";

/** A mail to send: plain text to checked addresses. `inReplyTo` is the message id of the mail that it answers. */
export type OutgoingMail = {
  readonly to: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  readonly bcc?: readonly MailAddress[];
  readonly replyTo?: MailAddress | undefined;
  readonly subject: string;
  readonly text: string;
  readonly inReplyTo?: string | undefined;
  readonly references?: readonly string[] | undefined;
};

/**
 * Builds the raw mail (RFC 5322). Gmail adds sender, date and message id. Throws `invalid_request` for a line break in
 * a header, or an invalid message id.
 */
export function buildMail({
  to,
  cc = [],
  bcc = [],
  replyTo,
  subject,
  text,
  inReplyTo,
  references,
}: OutgoingMail): string {
  const headers = [
    addressHeader("To", to),
    ...(cc.length > 0 ? [addressHeader("Cc", cc)] : []),
    ...(bcc.length > 0 ? [addressHeader("Bcc", bcc)] : []),
    ...(replyTo === undefined ? [] : [addressHeader("Reply-To", [replyTo])]),
    textHeader("Subject", subject),
    ...(inReplyTo === undefined ? [] : answerHeaders(inReplyTo, references)),
    "MIME-Version: 1.0",
    'Content-Type: text/plain; charset="UTF-8"',
    "Content-Transfer-Encoding: base64",
  ];
  return [...headers, "", ...base64Lines(text), ""].join("\r\n");
}

/** Returns the headers by which mail programs show an answer together with the mail that it answers. */
function answerHeaders(inReplyTo: string, references: readonly string[] = []): string[] {
  const earlier = references.filter((id) => id !== inReplyTo);
  return [messageIdHeader("In-Reply-To", [inReplyTo]), messageIdHeader("References", [...earlier, inReplyTo])];
}

function base64Lines(text: string): string[] {
  const bytes = Buffer.from(text.toWellFormed().replaceAll(/\r\n|\r|\n/g, "\r\n"));
  return bytes.toString("base64").match(/.{1,76}/g) ?? [];
}
