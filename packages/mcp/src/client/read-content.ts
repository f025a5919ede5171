import { TroupeError } from "@troupe/core";
import type { Artifact, ContentPart } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { Masker } from "@troupe/core/transport";
import { nextTurn } from "./ask-server.ts";

/** Content parts for the model and artifacts for the host, in the order of an MCP server's content blocks. */
export type Content = { readonly parts: ContentPart[]; readonly artifacts: Artifact[] };

/** Number of a server's content blocks that are read before the event loop runs other work. */
const blocksInOneTurn = 2000;

/** Turns the content blocks of a result or prompt into parts and artifacts. A malformed block becomes a note. */
export async function readBlocks(blocks: readonly unknown[], mask: Masker): Promise<Content> {
  const content: Content = { parts: [], artifacts: [] };
  for (const [index, block] of blocks.entries()) {
    if (index % blocksInOneTurn === blocksInOneTurn - 1) await nextTurn();
    addBlock(content, fieldsOf(block), mask);
  }
  return content;
}

/**
 * Turns an MCP server's resource into content parts: text, images, audio or files. Throws `unavailable` for data that
 * is not base64.
 */
export function readResourceParts(contents: readonly unknown[]): ContentPart[] {
  return contents.flatMap((each): ContentPart[] => {
    const { uri, text, blob, mimeType } = fieldsOf(each);
    if (typeof text === "string") return [{ type: "text", text }];
    if (typeof blob !== "string") return [];
    const data = dataPart(blob, typeof mimeType === "string" ? mimeType : "application/octet-stream");
    if (data === undefined) throw new TroupeError("unavailable", "The MCP server sent a resource that is no base64.");
    return [data.type === "file" ? { ...data, filename: nameOf(textOr(uri, "")) } : data];
  });
}

/** Returns the unchecked fields of an object that an MCP server sent; an empty object for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

type Fields = ReturnType<typeof fieldsOf>;

function addBlock(content: Content, block: Fields, mask: Masker): void {
  const { parts } = content;
  const addText = (text: string) => parts.push({ type: "text", text: mask(text) });
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") addText(text);
  else if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    parts.push(dataPart(data, mimeType, type) ?? unreadable(type));
  } else if (type === "resource") addResource(content, fieldsOf(block["resource"]), mask);
  else if (type === "resource_link") addLink(content, block, mask);
  else parts.push({ type: "text", text: "[content of an unknown type was left out]" });
}

function addLink({ parts, artifacts }: Content, block: Fields, mask: Masker): void {
  const [uri, name] = [textOr(block["uri"], ""), textOr(block["name"], "")];
  const { title, description, mimeType, size } = block;
  const about = typeof description === "string" ? `: ${description}` : "";
  parts.push({ type: "text", text: mask(`${textOr(title, name)} (${uri})${about}`) });
  const facts = { uri: mask(uri), name, title, description };
  const texts = Object.entries(facts).filter(([, value]) => typeof value === "string");
  artifacts.push({
    type: "resource_link",
    data: { ...Object.fromEntries(texts), ...(typeof size === "number" && { size }) },
    ...(typeof mimeType === "string" && { mimeType }),
  });
}

function addResource({ parts, artifacts }: Content, resource: Fields, mask: Masker): void {
  const { text, blob, mimeType } = resource;
  const uri = textOr(resource["uri"], "");
  if (typeof text === "string") {
    parts.push({ type: "text", text: mask(text) });
    return;
  }
  const data = dataPart(textOr(blob, ""), textOr(mimeType, "application/octet-stream"));
  if (typeof blob !== "string" || data === undefined) {
    parts.push(unreadable("resource"));
    return;
  }
  if (data.type !== "file") parts.push(data);
  else parts.push({ type: "text", text: mask(`${nameOf(uri)} (${uri}, ${data.mimeType})`) });
  artifacts.push({ type: "resource", data: { uri, blob }, ...(typeof mimeType === "string" && { mimeType }) });
}

type DataPart = Exclude<ContentPart, { type: "text" }>;

/** Makes a content part from data. Returns undefined if the data is not plain base64. */
function dataPart(data: string, mimeType: string, kind = mimeType.split("/")[0]): DataPart | undefined {
  // A URL instead of data is rejected, because a vendor would fetch it on behalf of the MCP server.
  if (readContentData({ data, mimeType }).kind !== "base64" || /^data:/i.test(data)) return undefined;
  return { type: kind === "image" || kind === "audio" ? kind : "file", data, mimeType };
}

function unreadable(kind: string): ContentPart {
  return { type: "text", text: `[${kind} of the server that is no base64 was left out]` };
}

function nameOf(uri: string): string {
  const parts = uri.split(/[?#]/)[0]?.split("/");
  return parts?.findLast((part) => part !== "") ?? uri;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}
