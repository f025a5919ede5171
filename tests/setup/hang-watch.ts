import { performance } from "node:perf_hooks";
import { setInterval } from "node:timers";

// Taken before a test fakes them.
const [now, every] = [performance.now.bind(performance), setInterval];

/** Milliseconds after which something counts as hanging. Nothing fails then: a machine may be slow. */
const hangsAfterMs = 20_000;

type Options = { print?: (line: string) => void; afterMs?: number | undefined };

/**
 * Notices tests and hooks of a worker that do not end, and prints their names with all that keeps the process alive: a runner
 * alone says nothing before the timeout of a test, and nothing of connections and processes. One timer for all tests, which
 * keeps no process alive.
 */
export class HangWatch {
  readonly #open = new Set<{ readonly name: string; readonly since: number; isPrinted: boolean }>();
  readonly #print: (line: string) => void;
  readonly #afterMs: number;

  constructor({ print = (line) => process.stderr.write(`${line}\n`), afterMs = hangsAfterMs }: Options = {}) {
    this.#print = print;
    this.#afterMs = afterMs;
    every(() => this.#look(), afterMs / 20).unref();
  }

  /** Watches a test or a hook until the returned function is called. */
  begin(name: string): () => void {
    const entry = { name, since: now(), isPrinted: false };
    this.#open.add(entry);
    return () => void this.#open.delete(entry);
  }

  #look(): void {
    for (const entry of this.#open) {
      if (entry.isPrinted || now() - entry.since < this.#afterMs) continue;
      entry.isPrinted = true;
      const open = describeOpen().map((line) => `\n  ${line}`);
      this.#print(
        `Still running after ${this.#afterMs / 1000} s: ${entry.name}. What keeps the process alive:${open.join("")}`,
      );
    }
  }
}

/** Describes what keeps the process alive: sockets, servers and processes, and the number of resources of each kind. */
function describeOpen(): string[] {
  const counts = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
  const kinds = counts.map(([kind, all]) => `${all?.length} ${kind}`).join(", ");
  const { _getActiveHandles: handlesOf } = process as { _getActiveHandles?: () => object[] };
  return [kinds || "nothing", ...(handlesOf?.call(process) ?? []).flatMap(describeHandle)];
}

type Handle = {
  readonly address?: () => unknown;
  readonly remotePort?: number;
  readonly localPort?: number;
  readonly pid?: number;
  readonly spawnargs?: readonly string[];
};

function describeHandle(handle: Handle): string[] {
  if (handle.spawnargs !== undefined) return [`process ${handle.pid}: ${handle.spawnargs.join(" ").slice(0, 300)}`];
  if (handle.remotePort !== undefined) return [`connection from port ${handle.localPort} to port ${handle.remotePort}`];
  const { port } = (handle.address?.() ?? {}) as { port?: number };
  return port === undefined || handle.localPort !== undefined ? [] : [`server on port ${port}`];
}
