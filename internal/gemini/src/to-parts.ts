import type { Part } from "@google/genai/web";
import { TroupeError } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { ContentData } from "@troupe/core/provider";
import type { RequestContext } from "./request-context.ts";

type DataPart = Exclude<ContentPart, { type: "text" }>;
type Readable = Exclude<ContentData, { kind: "invalid" }>;

const mediaType = /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/.+|video\/.+|application\/pdf)$/;
const textType = /^text\/|^application\/(?:json|xml|yaml|csv|javascript|x-ndjson)$|\+(?:json|xml)$/;
const supported = "images (PNG, JPEG, WebP, HEIC), audio, video, PDF and text";

/**
 * Converts a part of a message to Gemini's parts: one part, or none for empty text, which the vendor refuses. Throws
 * `unsupported_media_type` for a type that Gemini does not accept, and `invalid_request` for unreadable data.
 */
export function toParts(part: ContentPart, context: RequestContext): Part[] {
  return part.type === "text" ? toText(part.text) : [toData(part, context)];
}

/** Returns a text as one part in Gemini's format. Returns no part for an empty text, which the vendor refuses. */
export function toText(text: string): Part[] {
  return text === "" ? [] : [{ text }];
}

function toData(part: DataPart, context: RequestContext): Part {
  const data = readData(part, context);
  const mimeType = plainType(data.mimeType);
  if (isSupported(part, mimeType)) return toMedia(data, mimeType, part);
  if (data.kind === "url" && mimeType === "" && !context.isCloud) return { fileData: { fileUri: data.url } };
  const named = mimeType === "" ? "of unknown type: set its mimeType" : mimeType;
  throw unsupported(part, context, named);
}

function readData(part: DataPart, { isCloud, model }: RequestContext): Readable {
  const { data, mimeType } = part;
  if (isCloud && data.startsWith("gs://"))
    return { kind: "url", url: data, ...(mimeType !== undefined && { mimeType }) };
  const read = readContentData(part);
  if (read.kind !== "invalid") return read;
  throw new TroupeError(
    "invalid_request",
    `The data of the ${part.type} part for ${model.providerId}'s ${model.modelId} ${read.reason}.`,
  );
}

/** Returns a media type without parameters, in Gemini's spelling. */
function plainType(mimeType = ""): string {
  const [type = ""] = mimeType.toLowerCase().split(";");
  const plain = type.trim().replace(/^(audio|video)\/x-/, "$1/");
  return plain === "image/jpg" ? "image/jpeg" : plain;
}

/** Returns true if Gemini accepts a part's type. An image or audio part must have a type of its kind. */
function isSupported({ type }: DataPart, mimeType: string): boolean {
  if (type !== "file") return mediaType.test(mimeType) && mimeType.startsWith(`${type}/`);
  return mediaType.test(mimeType) || textType.test(mimeType);
}

function toMedia(data: Readable, mimeType: string, part: DataPart): Part {
  if (data.kind === "url") return { fileData: { fileUri: data.url, mimeType } };
  if (!textType.test(mimeType)) return { inlineData: { mimeType, data: data.base64 } };
  // A file that is sent as text may have any text type and keeps its name. For a file that is sent as data, only few
  // types and no name are accepted.
  const name = part.type === "file" ? part.filename : undefined;
  const text = Buffer.from(data.base64, "base64").toString("utf8");
  return { text: `File: ${name ?? "unnamed"}\n${text}` };
}

function unsupported(part: DataPart, { model }: RequestContext, named: string): TroupeError {
  const { providerId, modelId } = model;
  return new TroupeError(
    "unsupported_media_type",
    `${providerId}'s ${modelId} does not take this part: ${part.type} (${named}). Expected ${supported}.`,
    { fields: { vendor: providerId, model: modelId, part: part.type } },
  );
}
