import type {
  Base64ImageSource,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { TroupeError } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { ContentData } from "@troupe/core/provider";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";

/** A block in Anthropic's format that may appear in a user message or a tool result: text, image or document. */
export type UserContent = TextBlockParam | ImageBlockParam | DocumentBlockParam;

type DataPart = Exclude<ContentPart, { type: "text" }>;
type Readable = Exclude<ContentData, { kind: "invalid" }>;

const imageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const textType = /^text\/|^application\/(?:json|xml|yaml|csv|javascript)$|\+(?:json|xml)$/;

/**
 * Converts a part of a message to Anthropic's blocks: one block, or none for blank text, which the vendor refuses.
 * Throws `unsupported_media_type` for a type that the model does not accept, and `invalid_request` for unreadable data.
 */
export function toContent(part: ContentPart, { model }: RequestContext): UserContent[] {
  return part.type === "text" ? toText(part.text) : [toData(part, model.modelId)];
}

/** Returns a text as one block in Anthropic's format. Returns no block for blank text, which the vendor refuses. */
export function toText(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toData(part: DataPart, modelId: string): UserContent {
  if (part.type === "audio") throw unsupported(part, modelId, "no audio at all");
  const data = readContentData(part);
  if (data.kind === "invalid") {
    throw new TroupeError(
      "invalid_request",
      `The data of the ${part.type} part for anthropic's ${modelId} ${data.reason}.`,
    );
  }
  const mimeType = plainType(data.mimeType);
  const block =
    part.type === "image" || imageTypes.includes(mimeType) ? toImage(data, mimeType) : toDocument(data, mimeType, part);
  if (block !== undefined) return block;
  throw unsupported(
    part,
    modelId,
    part.type === "image" ? imageTypes.join(", ") : "images, PDF and text, and PDF by URL",
  );
}

/** Returns a media type without parameters, in Anthropic's spelling. */
function plainType(mimeType = ""): string {
  const [type = ""] = mimeType.toLowerCase().split(";");
  return type.trim() === "image/jpg" ? "image/jpeg" : type.trim();
}

function toImage(data: Readable, mimeType: string): ImageBlockParam | undefined {
  if (data.kind === "url") return { type: "image", source: { type: "url", url: data.url } };
  if (!imageTypes.includes(mimeType)) return undefined;
  const mediaType = mimeType as Base64ImageSource["media_type"];
  return { type: "image", source: { type: "base64", media_type: mediaType, data: data.base64 } };
}

function toDocument(data: Readable, mimeType: string, part: DataPart): DocumentBlockParam | undefined {
  const source = toSource(data, mimeType);
  const title = part.type === "file" ? part.filename : undefined;
  return source && { type: "document", source, ...(title !== undefined && title !== "" && { title }) };
}

function toSource(data: Readable, mimeType: string): DocumentBlockParam["source"] | undefined {
  if (mimeType === "application/pdf") {
    if (data.kind === "url") return { type: "url", url: data.url };
    return { type: "base64", media_type: "application/pdf", data: data.base64 };
  }
  if (data.kind === "url" || !textType.test(mimeType)) return undefined;
  return { type: "text", media_type: "text/plain", data: Buffer.from(data.base64, "base64").toString("utf8") };
}

function unsupported(part: DataPart, modelId: string, taken: string): TroupeError {
  const kind = part.mimeType === undefined ? part.type : `${part.type} (${plainType(part.mimeType)})`;
  return new TroupeError(
    "unsupported_media_type",
    `anthropic's ${modelId} does not take this part: ${kind}. It takes ${taken}.`,
    { fields: { vendor: providerId, model: modelId, part: part.type } },
  );
}
