import { TroupeError } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { readContentData, readObject } from "@troupe/core/kit";

/** The model of a call, for errors, and the kinds of content and URLs that it accepts. */
export type FileContext = {
  readonly providerId: string;
  readonly modelId: string;
  readonly version: string;
  readonly parts: readonly string[];
  /**
   * The parts to send after the package has rejected a part: the parts of the user's last message. The package does not
   * identify the part that it rejected.
   */
  readonly onlyTakes?: readonly ContentPart[] | undefined;
  /** Patterns of the URLs that the vendor fetches itself, by media type: the model's `supportedUrls`. */
  readonly urls: Readonly<Record<string, unknown>>;
};

/** A part of a message in the AI SDK form that both specifications share. */
export type ReadPart =
  | { type: "text"; text: string }
  | { type: "file"; mediaType: string; filename: string | undefined; base64: string }
  | { type: "file"; mediaType: string; filename: string | undefined; url: string };

type FilePart = Exclude<ContentPart, { type: "text" }>;

/**
 * Reads a part of a message. Throws `unsupported_media_type` for a part that the model does not accept, and
 * `invalid_request` for unreadable data. Text files become text, which every model accepts.
 */
export function readPart(part: ContentPart, context: FileContext): ReadPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const data = readContentData(part);
  if (data.kind === "invalid") {
    throw new TroupeError("invalid_request", `The data of the ${part.type} part ${data.reason}.`, {
      fields: fieldsOf(part, context),
    });
  }
  const filename = part.type === "file" ? part.filename : undefined;
  const mediaType = mediaTypeOf(part, data.mimeType);
  if (data.kind === "base64" && isText(mediaType)) {
    const text = Buffer.from(data.base64, "base64").toString("utf8");
    return { type: "text", text: `File: ${filename ?? "unnamed"}\n${text}` };
  }
  checkTaken(part, mediaType, context);
  if (data.kind === "base64") return { type: "file", mediaType, filename, base64: data.base64 };
  if (!isFetched(data.url, mediaType, context.urls)) throwUnsupported(part, context, `${mediaType} behind a URL`);
  return { type: "file", mediaType, filename, url: data.url };
}

function mediaTypeOf({ type }: FilePart, mimeType: string | undefined): string {
  return mimeType?.split(";")[0]?.trim().toLowerCase() ?? (type === "image" ? "image/*" : "");
}

/** Throws `unsupported_media_type` for a kind of part that the model does not accept, and for an unknown type. */
function checkTaken(part: FilePart, mediaType: string, context: FileContext): void {
  const { onlyTakes, parts } = context;
  const isTaken = (onlyTakes === undefined || onlyTakes.includes(part)) && parts.includes(kindOf(part, mediaType));
  if (!isTaken) throwUnsupported(part, context, mediaType);
  if (mediaType === "") throwUnsupported(part, context, "of an unknown type (name its mimeType)");
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|csv|javascript|x-ndjson)$/.test(mediaType);
}

function kindOf(part: FilePart, mediaType: string): string {
  const [kind = ""] = mediaType.split("/");
  return kind === "image" || kind === "audio" ? kind : part.type;
}

/**
 * Returns true if the vendor fetches this URL itself: it matches a pattern for its media type, or for all types of
 * its kind.
 */
function isFetched(url: string, mediaType: string, urls: FileContext["urls"]): boolean {
  const names = ["*", "*/*", mediaType, `${mediaType.split("/")[0] ?? ""}/*`];
  return Object.entries(urls)
    .filter(([name]) => names.includes(name))
    .some(([, patterns]) => Array.isArray(patterns) && patterns.some((one) => one instanceof RegExp && one.test(url)));
}

function throwUnsupported(part: FilePart, context: FileContext, what: string): never {
  const sentence = `${context.modelId} of ${context.providerId} takes no ${part.type} part that is ${what || "of this type"}.`;
  throw new TroupeError("unsupported_media_type", sentence, { fields: fieldsOf(part, context) });
}

function fieldsOf(part: FilePart, { providerId, modelId }: FileContext): Record<string, string> {
  return { vendor: providerId, model: modelId, part: part.type };
}

/** Converts a part of a user message. Specification v4 tags the data of files, v3 does not. */
export function toUserPart(part: ReadPart, version: string): object {
  if (part.type === "text") return part;
  const { mediaType, filename } = part;
  const named = filename === undefined ? { type: "file", mediaType } : { type: "file", mediaType, filename };
  if (version !== "v3") return { ...named, data: toTagged(part) };
  return { ...named, data: "url" in part ? new URL(part.url) : part.base64 };
}

/** Converts a part of a tool result. Specification v3 has four types for files there. */
export function toResultPart(part: ReadPart, version: string): object {
  if (part.type === "text" || version !== "v3") return toUserPart(part, version);
  const kind = part.mediaType.startsWith("image/") ? "image" : "file";
  if ("url" in part) return { type: `${kind}-url`, url: part.url };
  return { type: `${kind}-data`, data: part.base64, mediaType: part.mediaType };
}

function toTagged(part: Exclude<ReadPart, { type: "text" }>): object {
  return "url" in part ? { type: "url", url: new URL(part.url) } : { type: "data", data: part.base64 };
}

/** Returns the patterns of the URLs that a model's vendor fetches itself. Empty for a model without patterns. */
export async function urlsOf(model: { readonly supportedUrls?: unknown }): Promise<FileContext["urls"]> {
  return readObject(await model.supportedUrls);
}
