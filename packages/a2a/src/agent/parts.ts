import { TroupeError } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { A2APart } from "../wire/task.ts";

/** The content of an agent's message or artifact: a string, or parts. */
export type A2AContent = string | readonly A2APart[];

/**
 * Returns content as parts. Throws `invalid_value`, naming the argument, for anything but a string or parts, and for a
 * part with wrong base64 or a wrong address.
 */
export function toParts(content: A2AContent, name: string): A2APart[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  const parts = readParts(content);
  if (parts !== undefined) return parts.map((part) => withSoundData(part, name));
  const message = `${name} must be a string, or an array of at least one part such as { kind: "text", text: "Hello" }.`;
  throw new TroupeError("invalid_value", message);
}

/** Joins the texts of a message's parts with line breaks. */
export function textOf(parts: readonly A2APart[]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Returns parts as plain text: their texts, or their data as JSON if they have no text. */
export function toText(parts: readonly A2APart[]): string {
  const text = textOf(parts);
  if (text !== "") return text;
  return parts.flatMap((part) => (part.kind === "data" ? [JSON.stringify(part.data)] : [])).join("\n");
}

/** Returns a value as the parts of a message; undefined unless it is a non-empty array of well-formed parts. */
export function readParts(value: unknown): A2APart[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: unknown[] = Array.from(value);
  return items.every(isPart) ? items : undefined;
}

const contents = { text: "text", bytes: "base64", url: "url" } as const;

function isPart(value: unknown): value is A2APart {
  if (!isObject(value)) return false;
  const { kind, mediaType, filename, metadata } = value;
  if (![mediaType, filename].every((fact) => fact === undefined || typeof fact === "string")) return false;
  if (metadata !== undefined && !isObject(metadata)) return false;
  if (kind === "data") return value["data"] !== undefined;
  return (
    typeof kind === "string" && Object.hasOwn(contents, kind) && typeof value[contents[kind as "text"]] === "string"
  );
}

/** Returns true if a value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks the base64 or the address of a message part. Clients may refuse the whole task if it is invalid. */
function withSoundData(part: A2APart, name: string): A2APart {
  if (part.kind !== "bytes" && part.kind !== "url") return part;
  const read = readContentData({ data: part.kind === "bytes" ? part.base64 : part.url });
  if (part.kind === "url" && read.kind === "url") return part;
  if (part.kind === "bytes" && read.kind === "base64") return { ...part, base64: read.base64 };
  const expected = part.kind === "bytes" ? "base64 of bytes must be base64" : "url must be an http(s) URL";
  throw new TroupeError("invalid_value", `${name} has a part that no client could read: its ${expected}.`);
}
