import { vi } from "vitest";
import { Lease } from "../../lock/lease.ts";
import { InMemoryStorage } from "../../storage/in-memory-storage.ts";
import { toldCalls } from "../../storage/test/told-calls.ts";
import { AcquiredSession } from "../acquired-session.ts";
import { OpenSession } from "../open-session.ts";
import { PartStore } from "../part-store.ts";
import { sessionRef } from "../session-keys.ts";
import type { SessionRecord } from "../session-record.ts";
import type { TurnLog } from "../turn-log-type.ts";
import { newTurnRecord } from "../turn-record.ts";
import type { StoredTurn, TurnRecord } from "../turn-record.ts";
import { turnNamed } from "./turns.ts";

const ref = sessionRef({ userId: "ada" }, "s");
/** The record of a session without turns. */
export const record: SessionRecord = { v: 1, owner: ref.owner, createdAt: 1, updatedAt: 1, turns: 0 };
/** An image whose data is stored in pieces. */
export const large = { type: "image" as const, data: "A".repeat(21_852) };

/** A session over a log in memory, whose next append may fail before or after it is done. */
export function opened({ isNew = false, session = record, names = [] as string[] } = {}) {
  const turns: StoredTurn[] = names.map((name, index) => ({ ...newTurnRecord(turnNamed(name)), seq: index + 1 }));
  const { driver, calls } = toldCalls(new InMemoryStorage());
  const asked: unknown[][] = [];
  let fault: "before" | "after" | undefined;
  const log: TurnLog = {
    newest: async (count, known) => (asked.push(["newest", count, known.turns]), turns.slice(-count)),
    after: async (seq, limit, known) => {
      asked.push(["after", seq, limit, known.turns]);
      return turns.filter((turn) => turn.seq > seq).slice(0, limit);
    },
    next: async (known) => (asked.push(["next", known.turns]), turns.length + 1),
    append: async (turn: TurnRecord, known) => {
      asked.push(["append", turn.runId, known.turns]);
      const now = fault;
      fault = undefined;
      if (now === "before") throw new Error("lost");
      turns.push({ ...turn, seq: turns.length + 1 });
      if (now === "after") throw new Error("lost");
      return {
        ...known,
        turns: turns.length,
        ...(known.title === undefined && { title: "T", titleBy: "message" as const }),
      };
    },
  };
  const leave = vi.fn<() => void>();
  const confirm = vi.fn<() => Promise<void>>(async () => await Promise.resolve());
  const lease = new Lease({ hadToWait: false, forgetsQueue: false, leave }, { appendOptions: {}, confirm });
  const parts = new PartStore(driver, ref.key);
  const created = { session: { ...session, turns: turns.length }, isNew };
  const open = new OpenSession("s", new AcquiredSession(created, { log, parts, lease }));
  return { open, asked, calls, turns, leave, confirm, fail: (when: typeof fault) => void (fault = when) };
}

/** The names of turns. */
export const names = (turns: readonly StoredTurn[]) => turns.map(({ runId }) => runId);
