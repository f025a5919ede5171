import { TroupeError } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { getOwn, readContentData } from "@troupe/core/kit";
import type { ContentData } from "@troupe/core/provider";
import type { ModelCall } from "./model-call.ts";

/** A part of a user message in a form that both the Responses API and the Chat Completions API can send. */
export type ReadPart =
  | { kind: "text"; text: string }
  /** An image. `url`: a web URL or a `data:` URL. */
  | { kind: "image"; url: string }
  | { kind: "audio"; base64: string; format: "wav" | "mp3" }
  /** A PDF file. `isRemote`: the vendor fetches the URL. */
  | { kind: "pdf"; filename: string; url: string; isRemote: boolean };

/** The API and the model of a request, with the model's abilities. They decide which parts of messages can be sent. */
export type PartContext = Pick<ModelCall, "api" | "providerId" | "modelId" | "rules">;

type DataPart = Exclude<ContentPart, { type: "text" }>;
type Readable = Exclude<ContentData, { kind: "invalid" }>;

/**
 * Reads a part of a user message into a form that both APIs can send. Throws `unsupported_media_type` for a part that
 * the model does not accept, and `invalid_request` for unreadable data.
 */
export function readPart(part: ContentPart, context: PartContext): ReadPart {
  if (part.type === "text") return { kind: "text", text: part.text };
  const data = readContentData(part);
  if (data.kind === "invalid") {
    throw new TroupeError("invalid_request", `The data of the ${part.type} part ${data.reason}.`, {
      fields: fieldsOf(part, context),
    });
  }
  const mimeType = data.mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const read = readerFor(part, mimeType)(part, { data, mimeType, context });
  return read ?? throwUnsupported(part, context, describe(data, mimeType));
}

type Given = { data: Readable; mimeType: string; context: PartContext };
type PartReader = (part: DataPart, given: Given) => ReadPart | undefined;

/** Chooses the reader of a part by its type: image, audio, PDF or text file. */
function readerFor(part: DataPart, mimeType: string): PartReader {
  if (part.type === "image" || mimeType.startsWith("image/")) return readImage;
  if (part.type === "audio" || mimeType.startsWith("audio/")) return readAudio;
  return mimeType === "application/pdf" ? readPdf : readTextFile;
}

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function readImage(_part: DataPart, { data, mimeType, context }: Given): ReadPart | undefined {
  if (!context.rules.parts.includes("image")) return undefined;
  if (data.kind === "url") return { kind: "image", url: data.url };
  return imageTypes.includes(mimeType) ? { kind: "image", url: toDataUrl(mimeType, data.base64) } : undefined;
}

const audioFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/vnd.wave": "wav",
  "audio/mp3": "mp3",
  "audio/mpeg": "mp3",
};

function readAudio(_part: DataPart, { data, mimeType, context }: Given): ReadPart | undefined {
  const format = getOwn(audioFormats, mimeType);
  const isTaken = context.api === "chat" && context.rules.parts.includes("audio");
  if (!isTaken || data.kind === "url" || format === undefined) return undefined;
  return { kind: "audio", base64: data.base64, format };
}

function readPdf(part: DataPart, { data, mimeType, context }: Given): ReadPart | undefined {
  if (!context.rules.parts.includes("file")) return undefined;
  const isRemote = data.kind === "url";
  if (isRemote && context.api === "chat") return undefined;
  const url = isRemote ? data.url : toDataUrl(mimeType, data.base64);
  return { kind: "pdf", filename: nameOf(part) ?? "file.pdf", url, isRemote };
}

/** Converts a text file to text, for any model. */
function readTextFile(part: DataPart, { data, mimeType }: Given): ReadPart | undefined {
  const isText = /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|csv|javascript|x-ndjson)$/.test(mimeType);
  if (!isText || data.kind === "url") return undefined;
  const text = Buffer.from(data.base64, "base64").toString("utf8");
  return { kind: "text", text: `File: ${nameOf(part) ?? "unnamed"}\n${text}` };
}

function nameOf(part: DataPart): string | undefined {
  return part.type === "file" ? part.filename : undefined;
}

function toDataUrl(mimeType: string, base64: string): string {
  return `data:${mimeType};base64,${base64}`;
}

/**
 * Throws `unsupported_media_type` for a part that the model does not accept. `what` describes the part in the error's
 * message.
 */
export function throwUnsupported(part: ContentPart, context: PartContext, what: string): never {
  const interfaceName = context.api === "chat" ? "Chat Completions" : "Responses";
  const sentence = `${context.modelId} of ${context.providerId} takes no ${part.type} part that is ${what} through ${interfaceName}.`;
  throw new TroupeError("unsupported_media_type", sentence, { fields: fieldsOf(part, context) });
}

function describe(data: Readable, mimeType: string): string {
  const type = mimeType === "" ? "of an unknown type (name its mimeType)" : mimeType;
  return data.kind === "url" ? `${type} behind a URL` : type;
}

function fieldsOf(part: ContentPart, { providerId, modelId }: PartContext): Record<string, string> {
  return { vendor: providerId, model: modelId, part: part.type };
}
