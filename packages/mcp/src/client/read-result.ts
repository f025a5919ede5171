import { TroupeError } from "@troupe/core";
import type { Artifact, ContentPart, Json, ToolReturn } from "@troupe/core";
import type { Masker } from "@troupe/core/transport";
import { nextTurn } from "./ask-server.ts";
import { readBlocks } from "./read-content.ts";
import type { RawResult } from "./slim-message.ts";

/** Longest text of a failed tool that its model gets, in characters. */
const longestFailure = 2000;

/** The mask for secrets in an MCP server's result, and the largest size of its artifacts in bytes. */
export type ReadResultOptions = { readonly mask: Masker; readonly maxArtifactBytes: number };

/**
 * Turns an MCP server's result into a tool result: text joined by newlines, images and audio as parts, other resources
 * as a line for the model and an artifact. Structured content becomes an artifact, or JSON text if it stands alone.
 * Throws if the server reports a failure of the tool. Masks secrets that the server repeats. The event loop runs other
 * work between the steps, because a result may have megabytes.
 */
export async function readResult(
  { content, structuredContent, isError }: RawResult,
  toolName: string,
  { mask, maxArtifactBytes }: ReadResultOptions,
): Promise<ToolReturn> {
  const { parts, artifacts } = await readBlocks(Array.isArray(content) ? content : [], mask);
  await nextTurn();
  if (isError === true) {
    const text = textOf(parts) || (structuredContent === undefined ? "" : JSON.stringify(structuredContent));
    throw failed(toolName, mask(text.trim(), longestFailure));
  }
  if (structuredContent !== undefined) {
    const json = JSON.stringify(structuredContent);
    await nextTurn();
    const shown = mask(json);
    if (parts.length === 0) parts.push({ type: "text", text: shown });
    artifacts.push(structuredArtifact(shown, maxArtifactBytes));
    await nextTurn();
  }
  const bounded = boundArtifacts(artifacts, maxArtifactBytes);
  const shown = parts.every(({ type }) => type === "text") ? textOf(parts) : parts;
  return bounded.length === 0 ? shown : { content: shown, artifacts: bounded };
}

/**
 * Makes the artifact of structured content. JSON that exceeds the limit by itself is not parsed, because its artifact
 * is omitted.
 */
function structuredArtifact(json: string, maxBytes: number): Artifact {
  const type = "structured_content";
  const bytes = Buffer.byteLength(json);
  return bytes > maxBytes ? leftOut(type, bytes) : { type, data: JSON.parse(json) as Json };
}

/**
 * Adds up the bytes of the artifacts in their order, and replaces each artifact that would exceed the limit by an
 * artifact `left_out`.
 */
function boundArtifacts(artifacts: readonly Artifact[], maxBytes: number): Artifact[] {
  let left = maxBytes;
  return artifacts.map((artifact) => {
    if (artifact.type === "left_out") return artifact;
    const bytes = Buffer.byteLength(JSON.stringify(artifact));
    if (bytes > left) return leftOut(artifact.type, bytes);
    left -= bytes;
    return artifact;
  });
}

function leftOut(type: string, bytes: number): Artifact {
  return { type: "left_out", data: { type, bytes } };
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function failed(toolName: string, text: string): TroupeError {
  return new TroupeError("unavailable", text === "" ? `The tool ${toolName} failed and gave no reason.` : text);
}
