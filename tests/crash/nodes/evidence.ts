import type { Json } from "@troupe/core";
import { PostgresStorage } from "@troupe/storage-postgres";
import { entriesOf, recordNumbers } from "../../run-log/read-run-log.ts";
import type { StoredEntry } from "../../run-log/read-run-log.ts";
import type { EffectLine } from "./effects-file.ts";

/** A run as it is stored. */
export type StoredRun = {
  runId: string;
  name: string;
  sessionId: string;
  status: string;
  error?: { code: string };
  entries: StoredEntry[];
  numbers: number[];
};

/** All that is stored at the end of a trial, and the effects outside. */
export type NodesEvidence = {
  runs: StoredRun[];
  /** The ids of runs that are listed as open. */
  open: string[];
  /** The run of each stored turn. */
  turns: string[];
  effects: EffectLine[];
};

const pageSize = 200;

/** Reads what the processes of a service have stored in PostgreSQL. */
export async function readEvidence(postgres: string, effects: EffectLine[]): Promise<NodesEvidence> {
  const storage = new PostgresStorage(postgres);
  try {
    const runs: StoredRun[] = [];
    for (const { value } of await listAll(storage, "runs")) {
      const { runId, name, sessionId, status, error } = value as unknown as StoredRun;
      const log = { entries: await entriesOf(storage, runId), numbers: await recordNumbers(storage, runId) };
      runs.push({ runId, name, sessionId, status, ...(error && { error }), ...log });
    }
    const turns = (await listAll(storage, "turns")).map(({ value }) => (value as { runId?: string }).runId ?? "");
    const open = (await listAll(storage, "run-open")).map(({ key }) => key);
    return { runs, open, turns: turns.filter((runId) => runId !== ""), effects };
  } finally {
    await storage.close();
  }
}

/** Returns the number of runs that are not over. */
export async function countOpen(postgres: string): Promise<number> {
  const storage = new PostgresStorage(postgres);
  try {
    return (await listAll(storage, "run-open")).length;
  } finally {
    await storage.close();
  }
}

async function listAll(storage: PostgresStorage, namespace: string): Promise<{ key: string; value: Json }[]> {
  const all: { key: string; value: Json }[] = [];
  for (;;) {
    const last = all.at(-1)?.key;
    const page = await storage.list(namespace, "", { limit: pageSize, ...(last !== undefined && { after: last }) });
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}
