import { TroupeError } from "@troupe/core";
import type { Artifact, ContentPart, Json, ToolReturn } from "@troupe/core";
import type { Masker } from "@troupe/core/transport";
import { nextTurn } from "./ask-server.ts";
import { readBlocks } from "./read-content.ts";
import type { RawResult } from "./slim-message.ts";

/** The longest text of a failed tool that its model gets, in characters. */
const longestFailure = 2000;

/** The secrets that are hidden in a result, and the bytes that its artifacts may have. */
export type ReadResultOptions = { readonly mask: Masker; readonly maxArtifactBytes: number };

/**
 * Makes the result of a tool from the server's: text joined by newlines, images and audio as parts, other resources as a
 * line for the model and an artifact, and structured content as an artifact, or as JSON text where it stands alone. Throws
 * when the server says that the tool failed. Secrets that the server repeats are hidden. Between its steps the event loop
 * gets its turn: a result may have megabytes.
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

/** One that goes beyond the bytes by itself is not parsed to be left out. */
function structuredArtifact(json: string, maxBytes: number): Artifact {
  const type = "structured_content";
  const bytes = Buffer.byteLength(json);
  return bytes > maxBytes ? leftOut(type, bytes) : { type, data: JSON.parse(json) as Json };
}

/** Replaces the artifacts that go beyond the bytes, in their order. */
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
