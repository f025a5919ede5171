import type { ContentPart, MessageContent } from "@troupe/core";
import { invalidFormError } from "./form.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/** The fields of an upload's form, or a parsed JSON body, of which {@link buildMultiModalInput} reads `input`. */
export type InputBody = { readonly input?: unknown } | undefined;

/**
 * Makes the input of a run from the string in `body.input` and uploaded files, which it reads into memory as base64:
 * the string alone without files, else content parts. An `input` that is no string throws `invalid_request`.
 */
export async function buildMultiModalInput(
  body: InputBody,
  files: readonly UploadedFile[] = [],
): Promise<MessageContent> {
  const text = body?.input ?? "";
  if (typeof text !== "string") throw invalidFormError("input must be a string when files may come with it.");
  if (files.length === 0) return text;
  const parts: ContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  // One after the other: each is in memory twice while its base64 is made.
  for (const file of files) parts.push(await toPart(file));
  return parts;
}

async function toPart(file: UploadedFile): Promise<ContentPart> {
  const { mimeType, filename } = file;
  const data = (await file.read()).toString("base64");
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "file", data, mimeType, ...(filename !== undefined && { filename }) };
}
