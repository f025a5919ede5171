import type { StorageDriver } from "@troupe/core";
import type { Perform, RunEngine } from "@troupe/core/runs";
import type { StorageEntry } from "@troupe/core/storage";

/** A part of a process that breaks a promise, to prove that the judge finds it. */
export type NodeMutant = "doublingEffects" | "droppingEvents" | "forgettingRuns";

type Entry = { t: string; chunks?: { type: string }[] };

/** The driver itself, or one that leaves a word out of each long text that is read. */
export function mutateStorage(driver: StorageDriver, mutant: NodeMutant | undefined): StorageDriver {
  if (mutant !== "droppingEvents") return driver;
  return new Proxy(driver, {
    get(target, name) {
      if (name === "watch") return undefined;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...values: unknown[]) => Promise<unknown>;
      if (name === "list") return async (...values: unknown[]) => dropWords((await call(...values)) as StorageEntry[]);
      if (name !== "listMany") return call;
      return async (...values: unknown[]) => ((await call(...values)) as StorageEntry[][]).map(dropWords);
    },
  });
}

function dropWords(entries: StorageEntry[]): StorageEntry[] {
  for (const { value } of entries) {
    for (const { t, chunks } of (value as unknown as { entries?: Entry[] } | null)?.entries ?? []) {
      const texts = t === "chunks" ? (chunks ?? []).filter(({ type }) => type === "text") : [];
      if (texts.length > 1) Object.assign(texts[0] ?? {}, { text: "" });
    }
  }
  return entries;
}

/** The engine itself, or one that takes each fourth run for done without performing it. */
export function mutateEngine(engine: RunEngine, mutant: NodeMutant | undefined): RunEngine {
  if (mutant !== "forgettingRuns") return engine;
  const isForgotten = (runId: string) => Number.parseInt(runId.slice(-2), 16) % 4 === 0;
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "serve") return member.bind(target) as unknown;
      const serve: RunEngine["serve"] = async (perform, options) => {
        const lazily: Perform = async (job, signal) => {
          if (!isForgotten(job.runId)) return await perform(job, signal);
        };
        return await target.serve(lazily, options);
      };
      return serve;
    },
  });
}
