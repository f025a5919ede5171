import type { StoredValue } from "../ui/browser-storage.ts";
import { cutText } from "../ui/cut-text.ts";
import { isUnderWay, textOf } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** A turn of a session that the service has not stored, as a tab keeps it. */
type KeptTurn = {
  readonly sessionId: string;
  /** The number of the last stored turn before the kept turn, or 0. */
  readonly behind: number;
  /** The time at which the turn was kept. */
  readonly at: number;
  readonly turn: Turn;
  /** True if the service has stored a turn of the session. */
  readonly hasStored?: true;
};

/** A chat with kept turns: its session, the first question, and the time of its last turn. */
export type KeptChat = { readonly sessionId: string; readonly title: string; readonly at: number };

/** The maximum number of characters of one kept turn. A longer turn is kept without its tool calls and steps. */
const longestTurn = 60_000;
/** The maximum number of characters of a question, and of an answer, of a turn that is too long. */
const longestText = 20_000;
/** The maximum number of characters of all kept turns, which is far below what a browser stores for an origin. */
const mostCharacters = 1_500_000;

/**
 * Turns that ended in this tab and that the service has not stored: turns that were stopped, turns that failed, and
 * turns of workflows. They are shown again after a reload, and are forgotten when the tab is closed. If they exceed the
 * bounds, the oldest are dropped.
 */
export class KeptTurns {
  readonly #stored: StoredValue;

  constructor(stored: StoredValue) {
    this.#stored = stored;
  }

  /**
   * Keeps those turns of a session that the service has not stored, in place of the turns that were kept before.
   * Returns true if the session has such turns, and the browser has stored them.
   */
  keep(sessionId: string, turns: readonly Turn[]): boolean {
    const before = this.#all();
    const ofSession = new Map(
      before.filter((kept) => kept.sessionId === sessionId).map((kept) => [kept.turn.key, kept]),
    );
    const kept: KeptTurn[] = [];
    let behind = 0;
    const stored = storedMark(turns);
    for (const turn of turns) {
      behind = turn.seq ?? behind;
      if (turn.seq !== undefined || isUnderWay(turn)) continue;
      const at = ofSession.get(turn.key)?.at ?? Date.now();
      kept.push({ sessionId, behind, at, turn: toKept(turn), ...stored });
    }
    if (kept.length === 0 && ofSession.size === 0) return false;
    const others = before.filter((each) => each.sessionId !== sessionId);
    return this.#write([...others, ...kept]) && kept.length > 0;
  }

  /** Adds the turns that this browser keeps to those that the service has stored, in the order of their questions. */
  addTo(sessionId: string, stored: readonly Turn[]): readonly Turn[] {
    const known = new Set(stored.map(({ runId }) => runId));
    const kept = this.#all().filter(({ sessionId: id, turn }) => id === sessionId && isUnknown(turn, known));
    if (kept.length === 0) return stored;
    const placed = [
      ...stored.map((turn) => ({ behind: turn.seq ?? 0, turn })),
      ...kept.map(({ behind, turn }) => ({ behind, turn })),
    ];
    return placed.toSorted((one, other) => one.behind - other.behind).map(({ turn }) => turn);
  }

  /** Returns true if a session has kept turns of workflows alone: the service has no such session. */
  isOfWorkflows(sessionId: string): boolean {
    const kept = this.#all().filter((each) => each.sessionId === sessionId);
    return kept.length > 0 && kept.every(({ turn, hasStored }) => turn.kind === "workflow" && hasStored !== true);
  }

  /** Returns the chats that have a kept turn with an answer or a part of an answer. */
  chats(): KeptChat[] {
    const chats = new Map<string, KeptChat>();
    for (const { sessionId, at, turn } of this.#all()) {
      if (turn.parts.length === 0) continue;
      const { title = turn.question.text || turn.name } = chats.get(sessionId) ?? {};
      chats.set(sessionId, { sessionId, title, at });
    }
    return [...chats.values()];
  }

  /** Forgets the turns of a deleted session. */
  forget(sessionId: string): void {
    this.#write(this.#all().filter((kept) => kept.sessionId !== sessionId));
  }

  #all(): readonly KeptTurn[] {
    return this.#stored.read(isKeptTurns) ?? [];
  }

  /** Stores the newest turns that fit. */
  #write(turns: readonly KeptTurn[]): boolean {
    const newestFirst = turns.toSorted((one, other) => other.at - one.at);
    let room = mostCharacters;
    const fitting = new Set(newestFirst.filter((kept) => (room -= JSON.stringify(kept).length) >= 0));
    const left = turns.filter((kept) => fitting.has(kept));
    return this.#stored.write(left.length === 0 ? undefined : left);
  }
}

function storedMark(turns: readonly Turn[]): Pick<KeptTurn, "hasStored"> {
  return turns.some(({ seq }) => seq !== undefined) ? { hasStored: true } : {};
}

function isUnknown({ runId }: Turn, known: ReadonlySet<string | undefined>): boolean {
  return runId === undefined || !known.has(runId);
}

/** Returns a turn without what a reload ends: its files, which are only in this page, and the time at which it began. */
function toKept({ startedAt: _start, isBroken: _broken, ...turn }: Turn): Turn {
  const files = turn.question.files.map(({ name, type }) => ({ name, type }));
  const kept: Turn = { ...turn, question: { ...turn.question, files } };
  if (JSON.stringify(kept).length <= longestTurn) return kept;
  const { fields: _fields, ...question } = kept.question;
  const isLong = question.text.length > longestText;
  return {
    ...kept,
    question: { ...question, text: cutText(question.text, longestText, "…"), ...(isLong && { isPartial: true }) },
    parts: [{ type: "text", text: cutText(textOf(turn.parts), longestText, "…") }],
    sources: [],
  };
}

function isKeptTurns(value: unknown): value is KeptTurn[] {
  return Array.isArray(value) && value.every(isKeptTurn);
}

function isKeptTurn(value: unknown): value is KeptTurn {
  if (typeof value !== "object" || value === null) return false;
  const { sessionId, behind, at, turn } = value as Partial<KeptTurn>;
  if (typeof sessionId !== "string" || typeof behind !== "number" || typeof at !== "number") return false;
  return typeof turn?.key === "string" && Array.isArray(turn.parts) && Array.isArray(turn.sources);
}
