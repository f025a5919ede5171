import { TroupeError } from "@troupe/core";
import type { Artifact, ContentPart, Json, ToolReturn } from "@troupe/core";
import { readContentData } from "@troupe/core/adapter";
import type { Masker } from "@troupe/core/adapter";
import type { CallToolResult, ContentBlock, ResourceContents } from "@modelcontextprotocol/client";

/** The longest text of a failed tool that its model gets, in characters. */
const longestFailure = 2000;

/** The secrets that are hidden in a result, and the bytes that its artifacts may have. */
export type ReadResultOptions = { readonly mask: Masker; readonly maxArtifactBytes: number };

/** Text, parts and artifacts of a result, in the order of its blocks. */
type Content = { readonly parts: ContentPart[]; readonly artifacts: Artifact[] };

/**
 * Makes the result of a tool from the server's: text joined by newlines, images and audio as parts, other resources as a
 * line for the model and an artifact, and structured content as an artifact, or as JSON text where it stands alone. Throws
 * when the server says that the tool failed. Secrets that the server repeats are hidden.
 */
export function readResult(result: CallToolResult, toolName: string, options: ReadResultOptions): ToolReturn {
  const { mask, maxArtifactBytes } = options;
  const content: Content = { parts: [], artifacts: [] };
  for (const block of result.content ?? []) addBlock(content, block, mask);
  const { structuredContent } = result;
  if (result.isError === true) {
    const text = textOf(content.parts) || (structuredContent === undefined ? "" : JSON.stringify(structuredContent));
    throw failed(toolName, mask(text.trim(), longestFailure));
  }
  if (structuredContent !== undefined) {
    const json = JSON.parse(mask(JSON.stringify(structuredContent))) as Json;
    if (content.parts.length === 0) content.parts.push({ type: "text", text: JSON.stringify(json) });
    content.artifacts.push({ type: "structured_content", data: json });
  }
  const { parts } = content;
  const artifacts = boundArtifacts(content.artifacts, maxArtifactBytes);
  const shown = parts.every(({ type }) => type === "text") ? textOf(parts) : parts;
  return artifacts.length === 0 ? shown : { content: shown, artifacts };
}

/** Replaces the artifacts that go beyond the bytes, in their order. */
function boundArtifacts(artifacts: readonly Artifact[], maxBytes: number): Artifact[] {
  let left = maxBytes;
  return artifacts.map((artifact) => {
    const bytes = Buffer.byteLength(JSON.stringify(artifact));
    if (bytes > left) return { type: "left_out", data: { type: artifact.type, bytes } };
    left -= bytes;
    return artifact;
  });
}

/** Makes the content parts of a resource: its text, image, audio or file. */
export function readResourceParts(contents: readonly ResourceContents[]): ContentPart[] {
  return contents.flatMap((each): ContentPart[] => {
    if ("text" in each && typeof each.text === "string") return [{ type: "text", text: each.text }];
    if (!("blob" in each) || typeof each.blob !== "string") return [];
    const { uri, blob, mimeType = "application/octet-stream" } = each;
    const data = dataPart(blob, mimeType);
    if (data === undefined) throw new TroupeError("unavailable", "The MCP server sent a resource that is no base64.");
    return [data.type === "file" ? { ...data, filename: nameOf(uri) } : data];
  });
}

/** Makes the content parts of the blocks of a prompt. */
export function readBlocks(blocks: readonly ContentBlock[], mask: Masker): ContentPart[] {
  const content: Content = { parts: [], artifacts: [] };
  for (const block of blocks) addBlock(content, block, mask);
  return content.parts;
}

function addBlock({ parts, artifacts }: Content, block: ContentBlock, mask: Masker): void {
  const addText = (text: string) => parts.push({ type: "text", text: mask(text) });
  switch (block.type) {
    case "text":
      addText(block.text);
      break;
    case "image":
    case "audio":
      parts.push(dataPart(block.data, block.mimeType, block.type) ?? unreadable(block.type));
      break;
    case "resource": {
      addResource({ parts, artifacts }, block.resource, addText);
      break;
    }
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      addText(`${title ?? name} (${uri})${description === undefined ? "" : `: ${description}`}`);
      const facts = { uri: mask(uri), name, title, description, size };
      artifacts.push({
        type: "resource_link",
        data: withoutUndefined(facts),
        ...(mimeType !== undefined && { mimeType }),
      });
      break;
    }
    default:
      parts.push({ type: "text", text: "[content of an unknown type was left out]" });
  }
}

type EmbeddedContents = Extract<ContentBlock, { type: "resource" }>["resource"];

function addResource({ parts, artifacts }: Content, resource: EmbeddedContents, addText: (text: string) => void): void {
  const { uri, mimeType } = resource;
  if ("text" in resource) {
    addText(resource.text);
    return;
  }
  const data = dataPart(resource.blob, mimeType ?? "application/octet-stream");
  if (data === undefined) parts.push(unreadable("resource"));
  else if (data.type !== "file") parts.push(data);
  else addText(`${nameOf(uri)} (${uri}, ${data.mimeType})`);
  if (data !== undefined) {
    artifacts.push({
      type: "resource",
      data: { uri, blob: resource.blob },
      ...(mimeType !== undefined && { mimeType }),
    });
  }
}

type DataPart = Exclude<ContentPart, { type: "text" }>;

/** Returns undefined for data that is no base64. */
function dataPart(data: string, mimeType: string, kind = mimeType.split("/")[0]): DataPart | undefined {
  // A URL in place of the data would be fetched by a vendor: a server may not send one.
  if (readContentData({ data, mimeType }).kind !== "base64" || data.startsWith("data:")) return undefined;
  return { type: kind === "image" || kind === "audio" ? kind : "file", data, mimeType };
}

function unreadable(kind: string): ContentPart {
  return { type: "text", text: `[${kind} of the server that is no base64 was left out]` };
}

function nameOf(uri: string): string {
  return (
    uri
      .split(/[?#]/)[0]
      ?.split("/")
      .findLast((part) => part !== "") ?? uri
  );
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function failed(toolName: string, text: string): TroupeError {
  return new TroupeError("unavailable", text === "" ? `The tool ${toolName} failed and gave no reason.` : text);
}
