import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { isBlank } from "../../base/util/is-blank.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** The writer of a session's title: its first message, a model, or the user, whose title is never replaced by another. */
export type TitleSource = "message" | "model" | "user";

/** Largest length of a title that is made automatically. */
const maxAutomatic = 60;
/** Largest length of a title that a user sets. */
const maxLength = 200;
/** The part of a message that is looked at. */
const maxRead = 1000;

/** Text that is a title as it stands, as most short messages are. */
const plainLine = /^[!-~](?: ?[!-~])*$/;

/** Control characters and line breaks, and characters that change the direction of the text after them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Makes a title of a message: the beginning of its first text, on one line, cut after a word. Returns `undefined` for a
 * message without text.
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

/** Returns a title that a user sets, trimmed; throws `invalid_request` for one that cannot be shown on a line. */
export function checkTitle(title: unknown): string {
  const trimmed = typeof title === "string" ? title.trim() : "";
  const isTitle = trimmed !== "" && trimmed.length <= maxLength && trimmed.isWellFormed() && !unprintable.test(trimmed);
  if (isTitle) return trimmed;
  throw new TroupeError(
    "invalid_request",
    `title must be a well-formed string of 1 to ${maxLength} characters on one line, without control characters.`,
  );
}

/** Cuts after the last word that fits; a longer first word is cut itself, between characters. */
function cut(line: string): string {
  if (line.length <= maxAutomatic) return line;
  const room = cutText(line, maxAutomatic);
  const end = room.lastIndexOf(" ");
  const kept = end > maxAutomatic / 3 ? room.slice(0, end) : cutText(line, maxAutomatic - 1);
  return `${kept.replace(/[\s.,;:!?]+$/, "")}…`;
}
