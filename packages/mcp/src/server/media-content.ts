import type { Artifact, ContentPart, RunOutput } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { ContentBlock } from "@modelcontextprotocol/server";

/** Largest number of images, audio and resources in one result. */
const maxBlocks = 50;

type MediaBlock = Extract<ContentBlock, { type: "image" | "audio" | "resource" }>;

/**
 * Makes content blocks of the media that a run's tools returned: images, audio and files, and artifacts that hold them,
 * each only once. Content beyond `maxBytes` in total is omitted, and a line in the text says so. Other artifacts, and
 * addresses instead of data, get no block.
 */
export function readMedia({ toolCalls, artifacts = [] }: RunOutput, maxBytes: number): ContentBlock[] {
  const parts = toolCalls.flatMap(({ result, error }) => (error === undefined && Array.isArray(result) ? result : []));
  const found = [...parts.map(blockOfPart), ...artifacts.map(blockOfArtifact)];
  const seen = new Set<string>();
  const blocks: ContentBlock[] = [];
  let [bytes, left] = [0, 0];
  for (const block of found) {
    if (block === undefined) continue;
    const data = dataOf(block);
    if (seen.has(data)) continue;
    seen.add(data);
    const size = Buffer.byteLength(data);
    if (bytes + size > maxBytes || blocks.length >= maxBlocks) {
      left++;
      continue;
    }
    bytes += size;
    blocks.push(block);
  }
  const note = `[${left} of the images and files of the tools were left out: they are too large for this result]`;
  return [...blocks, ...(left > 0 && maxBytes > 0 ? [{ type: "text" as const, text: note }] : [])];
}

function dataOf(block: MediaBlock): string {
  if (block.type !== "resource") return block.data;
  return "blob" in block.resource ? block.resource.blob : block.resource.text;
}

function blockOfPart(part: ContentPart, index: number): MediaBlock | undefined {
  if (part.type === "text") return undefined;
  const { type } = part;
  const read = readContentData(part);
  if (read.kind !== "base64") return undefined;
  const { base64: data, mimeType } = read;
  if (type === "file") {
    const name = part.filename ?? `file-${index + 1}`;
    return { type: "resource", resource: { uri: `attachment:${encodeURIComponent(name)}`, blob: data, mimeType } };
  }
  return mimeType === undefined ? undefined : { type, data, mimeType };
}

function blockOfArtifact({ type, data, mimeType }: Artifact): MediaBlock | undefined {
  const named = mimeType !== undefined && { mimeType };
  if (typeof data !== "string") return type === "resource" ? blockOfResource(data, named) : undefined;
  const kind = mimeType?.split("/")[0] ?? type;
  return kind === "image" || kind === "audio" ? blockOfPart({ type: kind, data, ...named }, 0) : undefined;
}

/**
 * Makes the content block of an artifact that contains a resource of another MCP server. `McpToolServer` makes such
 * artifacts.
 */
function blockOfResource(data: unknown, named: { mimeType: string } | false): MediaBlock | undefined {
  const { uri, text, blob } = (data ?? {}) as { uri?: unknown; text?: unknown; blob?: unknown };
  if (typeof uri !== "string") return undefined;
  if (typeof text === "string") return { type: "resource", resource: { uri, text, ...named } };
  const read = typeof blob === "string" ? readContentData({ data: blob }) : undefined;
  // The data is normalised, because clients refuse a whole result if its base64 is not canonical.
  return read?.kind === "base64" ? { type: "resource", resource: { uri, blob: read.base64, ...named } } : undefined;
}
