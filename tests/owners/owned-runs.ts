import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { SessionOwner, StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { onTestFinished } from "vitest";

/** An owner with a user. */
export type User = SessionOwner & { userId: string };
type Services = ConstructorParameters<typeof RunService>[0];

/** The storages of runs that need no server; undefined for the memory of the service. */
export const storages: [name: string, create: () => StorageDriver | undefined][] = [
  ["memory", () => undefined],
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["SqliteStorage", () => new SqliteStorage(":memory:")],
];

/** Makes a service whose runs stay queued: it performs none. */
export function makeService(options: Services = {}): RunService {
  const agent = new Agent({
    name: "a",
    model: new ScriptedModel().respond(() => "Yes."),
  });
  const service = new RunService({ agents: { a: agent }, logger: createLogger({ level: "silent" }), ...options });
  onTestFinished(async () => await service.close());
  return service;
}

/** The runs of one service, by the marks that their owners have left. */
export class OwnedRuns {
  readonly service: RunService;
  readonly #ids = new Map<string, string>();

  constructor(service: RunService) {
    this.service = service;
  }

  readonly leave = async (owner: User, mark: string): Promise<void> => {
    const options = { sessionId: "s" };
    const { runId } = await this.service.accept({ kind: "agent", name: "a", input: mark, owner, options });
    this.#ids.set(mark, runId);
  };

  /** Returns the marks of the runs by whose ids a call is answered. */
  async reachedBy(call: (runId: string) => Promise<unknown>): Promise<string[]> {
    const marks: string[] = [];
    for (const [mark, runId] of this.#ids) {
      const isReached = await call(runId).then(
        () => true,
        (error: unknown) => !(error instanceof Error && /^Run ".*" not found/.test(error.message)),
      );
      if (isReached) marks.push(mark);
    }
    return marks;
  }

  /** Returns the mark of a run, if it is one of these. */
  markOf(runId: string | undefined): string[] {
    return [...this.#ids].filter(([, id]) => id === runId).map(([mark]) => mark);
  }
}
