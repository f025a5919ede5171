import type { StreamChunk } from "@troupe/core";
import { toPublicChunk } from "@troupe/core/transport";

/**
 * Returns a chunk in the form that clients may see; undefined if this API has no place for it. A message of this API
 * has one author, so the text of a team's members is not a part of the team's answer.
 */
export function toShownChunk(given: StreamChunk): ReturnType<typeof toPublicChunk> {
  const chunk = toPublicChunk(given);
  const isOfMember = (chunk?.type === "text" || chunk?.type === "thinking") && chunk.member !== undefined;
  return isOfMember ? undefined : chunk;
}
