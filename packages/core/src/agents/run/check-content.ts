import { joinNames } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isBlank } from "../../base/util/is-blank.ts";
import type { ContentPart, MessageContent } from "../../base/message/content.ts";

/** The string fields of each type of content part. */
const partFields: { readonly [Type in ContentPart["type"]]: Readonly<Record<string, "required" | "optional">> } = {
  text: { text: "required" },
  image: { data: "required", mimeType: "optional" },
  audio: { data: "required", mimeType: "optional" },
  file: { data: "required", mimeType: "required", filename: "optional" },
};

/**
 * Returns the content of a user's message: a non-blank string or array of parts. Throws `invalid_request` for other
 * values.
 */
export function checkContent(value: unknown, field = "input"): MessageContent {
  if (typeof value === "string") {
    if (!isBlank(value)) return value;
    throw wrongContent(field, "must not be empty");
  }
  if (!Array.isArray(value)) throw wrongContent(field, "must be a string or an array of content parts");
  if (value.length === 0) throw wrongContent(field, "must have at least one part");
  for (const [index, part] of value.entries()) checkPart(part, `${field}[${index}]`);
  const parts = value as ContentPart[];
  if (parts.every((part) => part.type === "text" && isBlank(part.text))) throw wrongContent(field, "must not be empty");
  return parts;
}

/** Returns a value as a content part. Throws `invalid_request` for unknown types and unknown fields. */
export function checkPart(part: unknown, place: string): ContentPart {
  if (typeof part !== "object" || part === null) throw wrongContent(place, "must be a content part");
  const { type } = part as { type?: unknown };
  if (typeof type !== "string" || !Object.hasOwn(partFields, type)) {
    throw wrongContent(`${place}.type`, `must be one of ${Object.keys(partFields).join(", ")}`);
  }
  checkFields(part as Record<string, unknown>, partFields[type as ContentPart["type"]], place);
  return part as ContentPart;
}

function checkFields(
  part: Record<string, unknown>,
  fields: Readonly<Record<string, "required" | "optional">>,
  place: string,
): void {
  for (const name of Object.keys(part)) {
    if (name !== "type" && !Object.hasOwn(fields, name)) {
      const known = joinNames(["type", ...Object.keys(fields)], "or");
      throw new TroupeError(
        "invalid_request",
        `Unknown field ${JSON.stringify(name.slice(0, 64))} of ${place}. Expected ${known}.`,
      );
    }
  }
  for (const [name, need] of Object.entries(fields)) {
    const value = part[name];
    if (typeof value === "string" || (value === undefined && need === "optional")) continue;
    throw wrongContent(`${place}.${name}`, "must be a string");
  }
}

function wrongContent(place: string, problem: string): TroupeError {
  return new TroupeError("invalid_request", `${place} ${problem}.`);
}
