import type { Artifact, ContentPart, MessageContent } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import { A2AError } from "./a2a-error.ts";
import type { A2AMessage, A2APart } from "./task.ts";

/** Media types by file name extension, for files without a type. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["pdf", "application/pdf"],
]);

/**
 * Turns the parts of a message into the input of a run: a string for a single text, else content parts. Data becomes
 * JSON text. Throws `invalid-params` for an empty message.
 */
export function toContent({ parts }: Pick<A2AMessage, "parts">): MessageContent {
  const content = parts.map(toContentPart);
  if (content.every((part) => part.type === "text" && part.text.trim() === "")) {
    throw new A2AError("invalid-params", "params.message.parts must not be empty.", { field: "params.message.parts" });
  }
  const [first, second] = content;
  return first?.type === "text" && second === undefined ? first.text : content;
}

function toContentPart(part: A2APart): ContentPart {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "data":
      return { type: "text", text: JSON.stringify(part.data) };
    case "bytes":
      return fileOf(part.base64, part);
    default:
      return fileOf(part.url, part);
  }
}

function fileOf(data: string, { mediaType, filename }: A2APart): ContentPart {
  const read = readContentData({ data, ...(mediaType !== undefined && { mimeType: mediaType }) });
  const known = "mimeType" in read ? read.mimeType : undefined;
  const mimeType = known ?? typeByName(filename ?? (read.kind === "url" ? read.url : "")) ?? "application/octet-stream";
  const [kind] = mimeType.split("/");
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType };
  return { type: "file", data, mimeType, ...(filename !== undefined && { filename }) };
}

function typeByName(name: string): string | undefined {
  const extension = /\.([a-z0-9]{2,4})(?:[?#].*)?$/i.exec(name)?.[1];
  return extension === undefined ? undefined : byExtension.get(extension.toLowerCase());
}

/** Turns content into the parts of a message or artifact. Drops a part whose data cannot be read. */
export function fromContent(content: MessageContent): A2APart[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return content.flatMap((part) => (part.type === "text" ? { kind: "text", text: part.text } : (fromData(part) ?? [])));
}

function fromData(part: { data: string; mimeType?: string; filename?: string }): A2APart | undefined {
  const read = readContentData(part);
  if (read.kind === "invalid") return undefined;
  const facts = {
    ...(read.mimeType !== undefined && { mediaType: read.mimeType }),
    ...(part.filename !== undefined && { filename: part.filename }),
  };
  return read.kind === "url"
    ? { kind: "url", url: read.url, ...facts }
    : { kind: "bytes", base64: read.base64, ...facts };
}

/**
 * Turns a tool's artifact into a part of an A2A artifact. Base64 or an address with a media type becomes a file, a text
 * type becomes text, anything else becomes data.
 */
export function fromArtifact({ data, mimeType }: Artifact): A2APart {
  if (typeof data !== "string" || mimeType === undefined) return { kind: "data", data };
  if (mimeType.startsWith("text/")) return { kind: "text", text: data, mediaType: mimeType };
  return fromData({ data, mimeType }) ?? { kind: "data", data, mediaType: mimeType };
}
