import type { ChatMessage } from "@troupe/core";
import type { StorageDump } from "./evidence.ts";

/** The part of a stored turn that the checker judges. It is read from the record itself, and not with core's reader. */
export type StoredTurn = {
  /** `<tenant>/<user>/<session>`, as in keys. */
  session: string;
  key: string;
  runId: string;
  status: string;
  input: string;
  messages: ChatMessage[];
};

/** Returns the turns of a storage in the order of their keys, and the keys of records that are not turns. */
export function storedTurns({ turns }: StorageDump): { turns: StoredTurn[]; unreadable: string[] } {
  const read = turns.map(({ key, value }) => ({ key, turn: readTurn(key, value) }));
  return {
    turns: read.flatMap(({ turn }) => turn ?? []),
    unreadable: read.filter(({ turn }) => turn === undefined).map(({ key }) => key),
  };
}

/** Returns the part of a key that names a session. The sessions of the checked runs have no user. */
export function sessionPart({ tenantId, sessionId }: { tenantId?: string; sessionId: string }): string {
  const tenant = tenantId === "-" ? "%2D" : encodePart(tenantId ?? "-");
  return `${tenant}/-/${encodePart(sessionId)}`;
}

/** Returns the session part of a key of `sessions`, `turns` or `memory`. */
export function sessionOf(key: string): string {
  return key.split("/", 3).join("/");
}

/** Returns the session part of a key. Members of a team count as their team; only their ids contain a `%`. */
export function rootSessionOf(key: string): string {
  return sessionOf(key).split("%", 1).join("");
}

/** Returns the content of a message as a string. */
export function contentText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function readTurn(key: string, value: unknown): StoredTurn | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { runId, status, input, messages } = value as Record<string, unknown>;
  if (typeof runId !== "string" || typeof status !== "string" || input === undefined) return undefined;
  if (!Array.isArray(messages)) return undefined;
  return {
    session: sessionOf(key),
    key,
    runId,
    status,
    input: contentText(input),
    messages: messages as ChatMessage[],
  };
}

function encodePart(part: string): string {
  return encodeURIComponent(part)
    .replaceAll("%3A", ":")
    .replaceAll("%40", "@")
    .replace(/[!'()*~]/g, percentEncode);
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
