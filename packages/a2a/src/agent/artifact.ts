import { TroupeError } from "@troupe/core";
import type { Artifact, ToolArtifact } from "@troupe/core";
import { fromArtifact } from "../wire/content.ts";
import type { A2AArtifact } from "../wire/task.ts";
import { isObject, readParts, toParts } from "./parts.ts";
import type { A2AContent } from "./parts.ts";

/** The id and the name of the artifact that holds the answer of a run. */
export const responseId = "response";

/** The id and the name of the artifact that holds the sources of the answer. */
export const sourcesId = "sources";

/** Returns true for the ids of artifacts that the output of a run itself has. */
function isReserved(artifactId: string | undefined): boolean {
  return artifactId === responseId || artifactId === sourcesId;
}

const artifactType = "a2a.artifact";

/** The fields from which an agent makes an artifact of its task. */
export type ArtifactFields = {
  /** The id of the artifact, which all its pieces share. @default the id of the tool call with a number */
  artifactId?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  parts: A2AContent;
  metadata?: Record<string, unknown> | undefined;
  /**
   * For an artifact in pieces: `false` for the first piece, `true` for each piece that is appended. @default the
   * artifact is whole
   */
  append?: boolean | undefined;
  /** True for the last piece of an artifact. @default false for a piece */
  isLast?: boolean | undefined;
};

/** A whole artifact, or a piece of it. `append` adds its parts to the earlier pieces; `isLast` marks the last piece. */
export type ArtifactPiece = { readonly artifact: A2AArtifact; readonly append: boolean; readonly isLast: boolean };

/**
 * Makes an artifact of a task, or a piece of an artifact, from text, files, addresses and data. A tool returns it among
 * its `artifacts`; a `ProgrammaticAgent` yields it. A2A clients get it immediately, clients of other protocols with the output
 * of the run. Throws `invalid_value` for parts that no client could read, for a blank or reserved `artifactId`, and for
 * a piece without an `artifactId`.
 */
export function createArtifact(fields: ArtifactFields): Artifact {
  const { artifactId, name, description, parts, metadata, append, isLast } = fields;
  if (isReserved(artifactId) || artifactId?.trim() === "") {
    throw new TroupeError(
      "invalid_value",
      'artifactId must not be blank, nor "response" or "sources": these are the answer of the run and its sources.',
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

/**
 * Converts the artifacts that a run's tools made to pieces of task artifacts, in the same order. Leaves out replies
 * (`A2AReply`).
 */
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

/** The type of the artifact that carries an `A2AReply`, by which an agent decides how its task ends. */
export const replyType = "a2a.reply";

function readPiece({ type, data }: ToolArtifact, ownId: string): ArtifactPiece | undefined {
  const parts = type === artifactType && isObject(data) ? readParts(data["parts"]) : undefined;
  if (parts === undefined) return undefined;
  const { artifactId, name, description, metadata, append, isLast } = data as Record<string, unknown>;
  const artifact: A2AArtifact = {
    artifactId: typeof artifactId === "string" && !isReserved(artifactId) ? artifactId : ownId,
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

/** Joins pieces into whole artifacts, in the order of their first pieces. */
export function joinPieces(pieces: readonly ArtifactPiece[]): A2AArtifact[] {
  const whole = new Map<string, A2AArtifact & { parts: A2AArtifact["parts"][number][] }>();
  for (const { artifact, append } of pieces) {
    const before = append ? whole.get(artifact.artifactId) : undefined;
    if (before === undefined) whole.set(artifact.artifactId, { ...artifact, parts: [...artifact.parts] });
    else before.parts.push(...artifact.parts);
  }
  return [...whole.values()];
}
