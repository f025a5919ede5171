import { TroupeError } from "@troupe/core";
import type { ChatMessage, ContentPart } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { PartReader } from "@troupe/core/provider";
import { providerId } from "./options.ts";

/** The content of a message in Ollama's format: one text, and images in base64. */
export type OllamaContent = { content: string; images?: string[] };

/** The model of a request, which errors name, and the reader of its message parts, for `toContent`. */
export type ContentContext = { model: { modelId: string }; parts: PartReader };
/** The role of the message that has a part, and the model of the request. */
type Place = { role: ChatMessage["role"]; modelId: string };
type DataPart = Exclude<ContentPart, { type: "text" }>;
type ReadPart = { text: string } | { image: string };

const rolesWithImages: readonly ChatMessage["role"][] = ["user", "tool"];
const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp"];
const textType = /^text\/|^application\/(?:json|xml|yaml|csv|javascript|x-ndjson)$|\+(?:json|xml)$/;

/**
 * Converts the content of a message to one text and images. Text files become text. Throws `unsupported_media_type` for
 * other parts, and `invalid_request` for unreadable data.
 */
export function toContent(message: ChatMessage, { model: { modelId }, parts }: ContentContext): OllamaContent {
  const { role, content } = message;
  if (!Array.isArray(content)) return { content: content ?? "" };
  if (role === "assistant") return { content: parts.readText(message) };
  const read = parts.read(message, (part) => readPart(part, { role, modelId }));
  const images = read.flatMap((part) => ("image" in part ? [part.image] : []));
  const texts = read.flatMap((part) => ("text" in part ? [part.text] : []));
  return { content: texts.join("\n"), ...(images.length > 0 && { images }) };
}

function readPart(part: ContentPart, place: Place): ReadPart {
  if (part.type === "text") return { text: part.text };
  const data = readContentData(part);
  if (data.kind === "invalid") {
    const sentence = `The data of the ${part.type} part for ${providerId}'s ${place.modelId} ${data.reason}.`;
    throw new TroupeError("invalid_request", sentence, { fields: fieldsOf(part, place) });
  }
  const mimeType = plainType(data.mimeType);
  // An Ollama server fetches no URLs.
  if (data.kind === "url") throw unsupported(part, place, `${mimeType} behind a URL`);
  if (isImage(part, mimeType) && rolesWithImages.includes(place.role)) return { image: data.base64 };
  if (part.type === "file" && textType.test(mimeType)) return { text: toText(part, data.base64) };
  throw unsupported(part, place, mimeType || "of an unknown type");
}

function isImage({ type }: DataPart, mimeType: string): boolean {
  return type !== "audio" && imageTypes.includes(mimeType);
}

/** Returns a media type without parameters, in its usual spelling. */
function plainType(mimeType = ""): string {
  const [type = ""] = mimeType.toLowerCase().split(";");
  return type.trim() === "image/jpg" ? "image/jpeg" : type.trim();
}

function toText(part: DataPart, base64: string): string {
  const name = (part.type === "file" && part.filename) || "unnamed";
  return `File: ${name}\n${Buffer.from(base64, "base64").toString("utf8")}`;
}

function unsupported(part: DataPart, place: Place, what: string): TroupeError {
  return new TroupeError(
    "unsupported_media_type",
    `${providerId}'s ${place.modelId} takes no ${part.type} part that is ${what.trim()} in a message of role "${place.role}". It takes files of text, and from users and tools images (PNG, JPEG, WebP), by their data.`,
    { fields: fieldsOf(part, place) },
  );
}

function fieldsOf(part: DataPart, { modelId }: Place): Record<string, string> {
  return { vendor: providerId, model: modelId, part: part.type };
}
