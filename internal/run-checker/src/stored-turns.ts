import type { ChatMessage } from "@troupe/core";
import type { StorageDump } from "./storage-dump.ts";

/** As much of a turn's record as the checker judges, read from the stored form and not with core's own reader. */
export type StoredTurn = {
  /** `<tenant>/<session>`, as in keys. */
  session: string;
  key: string;
  runId: string;
  status: string;
  input: string;
  messages: ChatMessage[];
};

/** The turns in a storage in the order of their keys, and the keys of what is no turn. */
export function storedTurns({ turns }: StorageDump): { turns: StoredTurn[]; unreadable: string[] } {
  const read = turns.map(({ key, value }) => ({ key, turn: readTurn(key, value) }));
  return {
    turns: read.flatMap(({ turn }) => turn ?? []),
    unreadable: read.filter(({ turn }) => turn === undefined).map(({ key }) => key),
  };
}

/** The part of keys that stands for a session. */
export function sessionPart({ tenantId, sessionId }: { tenantId?: string; sessionId: string }): string {
  const tenant = tenantId === "-" ? "%2D" : encodePart(tenantId ?? "-");
  return `${tenant}/${encodePart(sessionId)}`;
}

/** Whose record a key of `sessions`, `turns` or `memory` is. */
export function sessionOf(key: string): string {
  return key.split("/", 2).join("/");
}

/** The session that a key belongs to when members of a team are counted with their team: only their ids hold a `%`. */
export function rootSessionOf(key: string): string {
  return sessionOf(key).split("%", 1).join("");
}

/** A message's text, whatever form it has. */
export function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function readTurn(key: string, value: unknown): StoredTurn | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { runId, status, input, messages } = value as Record<string, unknown>;
  if (typeof runId !== "string" || typeof status !== "string" || input === undefined) return undefined;
  if (!Array.isArray(messages)) return undefined;
  return { session: sessionOf(key), key, runId, status, input: textOf(input), messages: messages as ChatMessage[] };
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
