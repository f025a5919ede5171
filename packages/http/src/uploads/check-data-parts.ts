import { formTooLargeError, sniffType, wrongTypeError } from "./form.ts";
import { isAllowedType } from "./upload-options.ts";
import type { UploadRules } from "./upload-options.ts";

/** The body of a run, as far as it may have content parts. Nothing in it is checked yet. */
type BodyWithParts = { readonly input?: unknown; readonly messages?: unknown };

/** Characters of base64 that tell the type of a file. */
const headLength = 24;

/**
 * Checks the data in the content parts of a JSON body against the limits of uploaded files: `maxFileSize` and
 * `allowedMimeTypes`. Leaves web addresses and what is no content part to others.
 */
export function checkDataParts({ input, messages }: BodyWithParts, rules: UploadRules): void {
  checkContentParts(input, "input", rules);
  if (!Array.isArray(messages)) return;
  for (const [index, message] of (messages as unknown[]).entries()) {
    const { content } = (message ?? {}) as { content?: unknown };
    checkContentParts(content, `messages[${index}].content`, rules);
  }
}

function checkContentParts(content: unknown, place: string, rules: UploadRules): void {
  if (!Array.isArray(content)) return;
  for (const [index, part] of (content as unknown[]).entries()) {
    const { data, mimeType } = (part ?? {}) as { data?: unknown; mimeType?: unknown };
    if (typeof data !== "string" || /^https?:/i.test(data)) continue;
    const claimed = typeof mimeType === "string" ? mimeType : undefined;
    checkPart(data, { claimed, place: `${place}[${index}].data` }, rules);
  }
}

type DataPart = { claimed: string | undefined; place: string };

function checkPart(data: string, { claimed, place }: DataPart, rules: UploadRules): void {
  const start = /^data:/i.test(data) ? data.indexOf(",") + 1 : 0;
  const padding = data.endsWith("==") ? 2 : Number(data.endsWith("="));
  const size = Math.floor(((data.length - start) * 3) / 4) - padding;
  if (size > rules.maxFileSize) throw formTooLargeError(`${place} must have at most ${rules.maxFileSize} bytes.`);
  const [named = ""] = (claimed ?? sniffType(data.slice(0, start + headLength))).split(";", 1);
  const type = named.trim().toLowerCase();
  if (!isAllowedType(type, rules)) throw wrongTypeError(place, type, rules);
}
