import { constants } from "node:buffer";
import { arrayOf, integerOption, optional } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionsOf, OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readContentData } from "../../base/message/content-data.ts";

/** Largest possible file in bytes: a file becomes one base64 string, with four characters for three bytes. */
const longestFile = Math.floor(constants.MAX_STRING_LENGTH / 4) * 3;

const mimeType: OptionCheck<string> = (value, name, where) => {
  if (typeof value === "string" && /^[\w.+-]+\/(?:\*|[\w.+-]+)$/.test(value)) return value.toLowerCase();
  throw wrongOption({ ...where, name }, 'a type without parameters, such as "image/png" or "image/*"', value);
};

const mimeTypes: OptionCheck<readonly string[]> = (value, name, where) => {
  const types = arrayOf("types", mimeType)(value, name, where);
  if (types.length > 0) return types;
  throw wrongOption({ ...where, name }, "an array of at least one type", value);
};

/** Checks of the options that limit each file of a client: `maxFileSize` in bytes, and `allowedMimeTypes`. */
export const fileLimitOptions = {
  maxFileSize: optional(integerOption(1, longestFile), 52_428_800),
  allowedMimeTypes: optional(mimeTypes),
} satisfies OptionTable<{ maxFileSize?: number | undefined; allowedMimeTypes?: readonly string[] | undefined }>;

/** The checked limits of each file of a client, with defaults. */
type FileLimits = Readonly<OptionsOf<typeof fileLimitOptions>>;

/** The fields of a run that may have content parts. Their values are unchecked. */
type FieldsWithParts = { readonly input?: unknown; readonly messages?: unknown };

/** The media type of a file whose bytes do not reveal its type. */
const unknownType = "application/octet-stream";

/** Number of base64 characters that identify the type of a file. */
const headLength = 24;

/**
 * Throws `unsupported_media_type` unless `allowedMimeTypes` is undefined, or contains this type (in lower case) or its
 * family, such as `image/*`. `subject` names the file in the message.
 */
export function checkFileType(
  subject: string,
  type: string,
  { allowedMimeTypes }: Pick<FileLimits, "allowedMimeTypes">,
): void {
  if (allowedMimeTypes === undefined || allowedMimeTypes.includes(type)) return;
  if (allowedMimeTypes.includes(`${type.slice(0, type.indexOf("/"))}/*`)) return;
  const shown = JSON.stringify(type.slice(0, 64));
  const message = `${subject} has type ${shown}. Expected ${allowedMimeTypes.join(", ")}.`;
  throw new TroupeError("unsupported_media_type", message);
}

/**
 * Checks the data in the content parts of a run's input and messages against the limits of files. Does not check web
 * addresses or malformed parts.
 */
export function checkDataParts({ input, messages }: FieldsWithParts, limits: FileLimits): void {
  checkContentParts(input, "input", limits);
  if (!Array.isArray(messages)) return;
  for (const [index, message] of (messages as unknown[]).entries()) {
    const { content } = (message ?? {}) as { content?: unknown };
    checkContentParts(content, `messages[${index}].content`, limits);
  }
}

function checkContentParts(content: unknown, place: string, limits: FileLimits): void {
  if (!Array.isArray(content)) return;
  for (const [index, part] of (content as unknown[]).entries()) {
    const { data, mimeType: claimed } = (part ?? {}) as { data?: unknown; mimeType?: unknown };
    if (typeof data !== "string" || /^https?:/i.test(data)) continue;
    checkPart(data, { claimed, place: `${place}[${index}].data` }, limits);
  }
}

function checkPart(data: string, { claimed, place }: { claimed: unknown; place: string }, limits: FileLimits): void {
  const start = /^data:/i.test(data) ? data.indexOf(",") + 1 : 0;
  const padding = data.endsWith("==") ? 2 : Number(data.endsWith("="));
  const size = Math.floor(((data.length - start) * 3) / 4) - padding;
  if (size > limits.maxFileSize) {
    throw new TroupeError("payload_too_large", `${place} must have at most ${limits.maxFileSize} bytes.`);
  }
  const [named = ""] = (
    typeof claimed === "string" ? claimed : detectMimeType(data.slice(0, start + headLength))
  ).split(";", 1);
  checkFileType(place, named.trim().toLowerCase(), limits);
}

/**
 * Returns the type of a file from its first bytes, given in base64 or as a `data:` URL that names the type. Returns
 * `application/octet-stream` if they do not reveal it.
 */
export function detectMimeType(data: string): string {
  const found = readContentData({ data });
  return (found.kind === "base64" ? found.mimeType : undefined) ?? unknownType;
}
