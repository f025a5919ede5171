import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { isBlank } from "../../base/util/is-blank.ts";
import { cutText } from "../../base/util/cut-text.ts";

/**
 * The writer of a session's title: its first message, a model, or the user, whose title is never replaced
 * automatically.
 */
export type TitleSource = "message" | "model" | "user";

/** Maximum length of an automatic title. */
const maxAutomatic = 60;
/** Maximum length of a title set by a user. */
const maxLength = 200;
/** The number of characters of a message that are examined for a title. */
const maxRead = 1000;

/** Matches text that can be a title without any change, as most short messages can. */
const plainLine = /^[!-~](?: ?[!-~])*$/;

/** Matches control characters, line breaks, and characters that change the direction of text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Makes a title from a message: the beginning of its first text, on one line, cut after a word. Returns `undefined` for
 * a message without text.
 */
export function toTitle(content: MessageContent): string | undefined {
  const parts =
    typeof content === "string" ? [content] : content.map((part) => (part.type === "text" ? part.text : ""));
  const first = parts.find((text) => !isBlank(text)) ?? "";
  if (first.length <= maxAutomatic && plainLine.test(first)) return first;
  const line = cutText(first, maxRead)
    .toWellFormed()
    .replaceAll(new RegExp(unprintable, "gu"), " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line === "" ? undefined : cut(line);
}

/** Returns a title set by a user, trimmed. Throws `invalid_request` if it cannot be shown on one line. */
export function checkTitle(title: unknown): string {
  const trimmed = typeof title === "string" ? title.trim() : "";
  const isTitle = trimmed !== "" && trimmed.length <= maxLength && trimmed.isWellFormed() && !unprintable.test(trimmed);
  if (isTitle) return trimmed;
  throw new TroupeError(
    "invalid_request",
    `title must be a well-formed string of 1 to ${maxLength} characters on one line, without control characters.`,
  );
}

/** Cuts a title after the last word that fits. Cuts within a word if less than a third of the length would be left. */
function cut(line: string): string {
  if (line.length <= maxAutomatic) return line;
  const room = cutText(line, maxAutomatic);
  const end = room.lastIndexOf(" ");
  const kept = end > maxAutomatic / 3 ? room.slice(0, end) : cutText(line, maxAutomatic - 1);
  return `${kept.replace(/[\s.,;:!?]+$/, "")}…`;
}
