import { TroupeError } from "@troupe/core";
import type { Artifact, ToolArtifact } from "@troupe/core";
import { fromArtifact } from "../wire/content.ts";
import type { A2AArtifact } from "../wire/task.ts";
import { isObject, readParts, toParts } from "./parts.ts";
import type { A2AContent } from "./parts.ts";

/** The id and the name of the artifact with the answer of a run. */
export const responseId = "response";

const artifactType = "a2a.artifact";

/** An artifact of a task as an agent makes it. */
export type ArtifactFields = {
  /** The same for all pieces of an artifact. @default the id of the tool call, and a number */
  artifactId?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  parts: A2AContent;
  metadata?: Record<string, unknown> | undefined;
  /** For an artifact in pieces: `false` for the first one, `true` for those that add to it. @default the artifact is whole */
  append?: boolean | undefined;
  /** True for the last piece. @default false for a piece */
  isLast?: boolean | undefined;
};

/** A piece of an artifact, or a whole one: `append` adds its parts to what came before, `isLast` says that no more follow. */
export type ArtifactPiece = { readonly artifact: A2AArtifact; readonly append: boolean; readonly isLast: boolean };

/**
 * Makes an artifact of a task, or a piece of one, with text, files, addresses and data: for the `artifacts` of what a tool
 * returns, and for a `TaskAgent` to yield. Clients of A2A get it at once, those of other protocols with the output of the run.
 * Throws `invalid_value` for parts that no client could read.
 */
export function createArtifact(fields: ArtifactFields): Artifact {
  const { artifactId, name, description, parts, metadata, append, isLast } = fields;
  if (artifactId === responseId || artifactId?.trim() === "") {
    throw new TroupeError(
      "invalid_value",
      'artifactId must not be blank, nor "response": that is the answer of the run.',
    );
  }
  if (append !== undefined && artifactId === undefined) {
    throw new TroupeError(
      "invalid_value",
      "artifactId must be given for an artifact in pieces: it tells where they belong.",
    );
  }
  const given = { artifactId, name, description, metadata, append, isLast };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { type: artifactType, data: { ...known, parts: toParts(parts, "parts") } };
}

/** Returns what tools made as pieces of artifacts of their task, in their order. Replies are none. */
export function toPieces(artifacts: readonly ToolArtifact[]): ArtifactPiece[] {
  const counts = new Map<string, number>();
  return artifacts.flatMap((artifact) => {
    const { toolCallId, type } = artifact;
    const index = counts.get(toolCallId) ?? 0;
    counts.set(toolCallId, index + 1);
    if (type === replyType) return [];
    return readPiece(artifact, `${toolCallId}.${index}`) ?? wholeOf(artifact, `${toolCallId}.${index}`);
  });
}

/** The type of the artifact by which an agent says how its task ends. */
export const replyType = "a2a.reply";

function readPiece({ type, data }: ToolArtifact, ownId: string): ArtifactPiece | undefined {
  const parts = type === artifactType && isObject(data) ? readParts(data["parts"]) : undefined;
  if (parts === undefined) return undefined;
  const { artifactId, name, description, metadata, append, isLast } = data as Record<string, unknown>;
  const artifact: A2AArtifact = {
    artifactId: typeof artifactId === "string" && artifactId !== responseId ? artifactId : ownId,
    ...(typeof name === "string" && { name }),
    ...(typeof description === "string" && { description }),
    parts,
    ...(isObject(metadata) && { metadata }),
  };
  return { artifact, append: append === true, isLast: isLast === true || append === undefined };
}

function wholeOf(artifact: ToolArtifact, artifactId: string): ArtifactPiece {
  const { type: name, toolName } = artifact;
  const whole = { artifactId, name, parts: [fromArtifact(artifact)], metadata: { toolName } };
  return { artifact: whole, append: false, isLast: true };
}

/** Puts pieces together: the artifacts of a task, in the order of their first pieces. */
export function joinPieces(pieces: readonly ArtifactPiece[]): A2AArtifact[] {
  const whole = new Map<string, A2AArtifact & { parts: A2AArtifact["parts"][number][] }>();
  for (const { artifact, append } of pieces) {
    const before = append ? whole.get(artifact.artifactId) : undefined;
    if (before === undefined) whole.set(artifact.artifactId, { ...artifact, parts: [...artifact.parts] });
    else before.parts.push(...artifact.parts);
  }
  return [...whole.values()];
}
