import { TroupeError } from "../errors/troupe-error.ts";
import { isBlank } from "../util/is-blank.ts";
import type { ContentPart, MessageContent } from "../message/content.ts";

/** The text fields of each kind of part, and whether one must be there. */
const partFields: { readonly [Type in ContentPart["type"]]: Readonly<Record<string, "required" | "optional">> } = {
  text: { text: "required" },
  image: { data: "required", mimeType: "optional" },
  audio: { data: "required", mimeType: "optional" },
  file: { data: "required", mimeType: "required", filename: "optional" },
};

/**
 * Takes what a user says: text or a list of parts, with something in it. Anything else is `invalid_request`, which names
 * the place and what was expected there.
 */
export function checkContent(value: unknown, field = "input"): MessageContent {
  if (typeof value === "string") {
    if (!isBlank(value)) return value;
    throw wrongContent(field, "must not be empty");
  }
  if (!Array.isArray(value)) throw wrongContent(field, "must be a text or a list of content parts");
  if (value.length === 0) throw wrongContent(field, "must have at least one part");
  for (const [index, part] of value.entries()) checkPart(part, `${field}[${index}]`);
  const parts = value as ContentPart[];
  if (parts.every((part) => part.type === "text" && isBlank(part.text))) throw wrongContent(field, "must not be empty");
  return parts;
}

function checkPart(part: unknown, place: string): void {
  if (typeof part !== "object" || part === null) throw wrongContent(place, "must be a content part");
  const { type } = part as { type?: unknown };
  if (typeof type !== "string" || !Object.hasOwn(partFields, type)) {
    throw wrongContent(`${place}.type`, `must be one of ${Object.keys(partFields).join(", ")}`);
  }
  checkFields(part as Record<string, unknown>, partFields[type as ContentPart["type"]], place);
}

function checkFields(
  part: Record<string, unknown>,
  fields: Readonly<Record<string, "required" | "optional">>,
  place: string,
): void {
  for (const name of Object.keys(part)) {
    if (name !== "type" && !Object.hasOwn(fields, name)) {
      const known = ["type", ...Object.keys(fields)].join(", ");
      throw wrongContent(place, `has a field that such a part does not know (it has ${known})`);
    }
  }
  for (const [name, need] of Object.entries(fields)) {
    const value = part[name];
    if (typeof value === "string" || (value === undefined && need === "optional")) continue;
    throw wrongContent(`${place}.${name}`, "must be a text");
  }
}

function wrongContent(place: string, problem: string): TroupeError {
  return new TroupeError("invalid_request", `${place} ${problem}.`);
}
