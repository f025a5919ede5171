import { cleanText } from "@troupe-internal/toolkit";
import { readText } from "@troupe/core/kit";
import { decodeHeader } from "./mime/decode-header.ts";
import { headerOf } from "./mime/read-mail.ts";

/** The ids of a mail, and its main headers as readable text. */
export type MailSummary = { id: string; threadId: string; from: string; to: string; subject: string; date: string };

/** Longest id of a mail or thread that is shown, in characters. */
export const longestId = 100;

/** Returns the path of a mail in the Gmail API. */
export function messagePath(id: string): string {
  return `/gmail/v1/users/me/messages/${encodeURIComponent(id)}`;
}

/** Reads ids and main headers of a mail. The date is its arrival as an ISO time, or else the date in the mail. */
export function readSummary(
  message: Readonly<Record<string, unknown>>,
  payload: Readonly<Record<string, unknown>>,
): MailSummary {
  const arrivedMs = Number(readText(message["internalDate"]) || Number.NaN);
  const isDate = Math.abs(arrivedMs) < 8.64e15;
  return {
    id: cleanText(message["id"], longestId),
    threadId: cleanText(message["threadId"], longestId),
    from: decodeHeader(headerOf(payload, "from")),
    to: decodeHeader(headerOf(payload, "to")),
    subject: decodeHeader(headerOf(payload, "subject")),
    date: isDate ? new Date(arrivedMs).toISOString() : decodeHeader(headerOf(payload, "date")),
  };
}
