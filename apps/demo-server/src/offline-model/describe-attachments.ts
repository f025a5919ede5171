import type { ContentPart } from "@troupe/core";
import { readContentData } from "@troupe/core/adapter";

type Attachment = Exclude<ContentPart, { type: "text" }>;

/** Says what came along with the words, which is all that can be said of it here. */
export function describeAttachments(parts: readonly ContentPart[]): string {
  const attachments = parts.filter((part) => part.type !== "text").map(describe);
  if (attachments.length === 0) return "";
  return `I got ${attachments.join(", ")}, and cannot look into what I get.`;
}

function describe(part: Attachment): string {
  const name = part.type === "file" && part.filename !== undefined ? ` named ${JSON.stringify(part.filename)}` : "";
  const article = part.type === "file" ? "a" : "an";
  return `${article} ${part.type}${name} (${factsOf(part)})`;
}

function factsOf(part: Attachment): string {
  const data = readContentData(part);
  if (data.kind === "invalid") return `its data ${data.reason}`;
  const mimeType = data.mimeType ?? "of an unknown type";
  if (data.kind === "url") return `${mimeType}, at ${data.url}`;
  return `${mimeType}, ${Buffer.from(data.base64, "base64").length} bytes`;
}
