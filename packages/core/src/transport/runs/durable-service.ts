import type { RunService } from "../../runs/service/run-service.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { RunKind } from "../../runs/record/run-view.ts";
import type { Runnable } from "../../agents/run/runnable.ts";

/** The agents, teams and workflows that a transport serves, by name. */
export type ServedRunnables = {
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly teams: ReadonlyMap<string, Runnable>;
  /** The workflows by name; absent for a transport that serves no workflows. */
  readonly workflows?: ReadonlyMap<string, object>;
};

/** The names of the runnables whose runs are durable in a transport, by kind. */
export type DurableNames = Readonly<Record<RunKind, ReadonlySet<string>>>;

/**
 * The names that a transport and the host's service share (`durable`), that only the transport has (`plain`), and that
 * only the service has (`notServed`), each in the form `<kind> <name>`.
 */
type Compared = { readonly durable: string[]; readonly plain: string[]; readonly notServed: string[] };

/**
 * Returns the names of the runnables of a transport whose runs the host's service makes durable. Warns if the transport
 * and the service do not have the same names. Throws `invalid_config` for a service that may not be served, that has a
 * different runnable under one of the names, or that shares no runnables with the transport.
 */
export function findDurableNames(
  { agents, teams, workflows }: ServedRunnables,
  { durable: service, logger }: { durable?: RunService | undefined; logger: Logger },
): DurableNames {
  service?.hosting.checkServable();
  const compared: Compared = { durable: [], plain: [], notServed: [] };
  const compare = (kind: RunKind, entries: ReadonlyMap<string, object> | undefined) =>
    compareNames({ service, compared }, kind, entries);
  const names = {
    agent: compare("agent", agents),
    team: compare("team", teams),
    workflow: compare("workflow", workflows),
  };
  if (service === undefined) return names;
  if (compared.durable.length === 0) throw servesNothing();
  if (compared.plain.length + compared.notServed.length > 0) {
    const message =
      "The RunService and what serves it have different names: runs under `plain` names end with their connection, and nothing here begins runs under `notServed` names.";
    logger.warn(message, compared);
  }
  return names;
}

function compareNames(
  { service, compared }: { service: RunService | undefined; compared: Compared },
  kind: RunKind,
  entries: ReadonlyMap<string, object> | undefined,
): ReadonlySet<string> {
  // A transport that serves no runnables of this kind has no names to compare.
  if (service === undefined || entries === undefined) return new Set();
  const found = [...entries].filter(([name, entry]) => isDurable(service, kind, { name, entry })).map(([name]) => name);
  const durable = new Set(found);
  const label = (name: string): string => `${kind} ${name}`;
  compared.durable.push(...found.map(label));
  compared.plain.push(...[...entries.keys()].filter((name) => !durable.has(name)).map(label));
  const notServed = service.hosting.names(kind).filter((name) => !entries.has(name));
  compared.notServed.push(...notServed.map(label));
  return durable;
}

/** Returns true if a service has this runnable. Throws if it has a different runnable under the same name. */
function isDurable(service: RunService, kind: RunKind, { name, entry }: { name: string; entry: object }): boolean {
  const known = service.find(kind, name);
  if (known !== undefined && known !== entry) throw isAnother(kind, name);
  return known !== undefined;
}

function isAnother(kind: RunKind, name: string): TroupeError {
  const message = `runs has another ${kind} under the name ${JSON.stringify(name)}. Give the same ${kind} to both.`;
  return new TroupeError("invalid_config", message);
}

function servesNothing(): TroupeError {
  return new TroupeError(
    "invalid_config",
    "runs performs nothing that is served here. Give the same agents, teams or workflows to both.",
  );
}

/** Milliseconds between two checks for live processes, if other processes perform the runs. */
const lookPauseMs = 10_000;

/**
 * Warns the host once that no process performs the runs of its service, and rejects runs that no process could perform.
 */
export class PerformerWatch {
  readonly #service: RunService;
  readonly #logger: Logger;
  /** True once the log has the warning, until a process performs the runs again. */
  #isTold = false;
  #lookedAt = -Infinity;

  constructor(service: RunService, logger: Logger) {
    this.#service = service;
    this.#logger = logger;
  }

  /** Throws `unavailable` if no process can perform a run. */
  async check(): Promise<void> {
    const performer = await this.#service.hosting.findPerformer();
    if (performer === "here" || performer === "elsewhere") {
      this.#isTold = false;
      return;
    }
    this.#tell(performer);
    if (performer === "nothing") throw nothingPerforms();
  }

  /**
   * Does the same as `check`, for each request. If other processes may perform the runs, it only warns, checks at most
   * every ten seconds, and does not wait for the storage.
   */
  async checkRequest(): Promise<void> {
    if (!this.#service.hosting.isShared) return await this.check();
    const now = performance.now();
    if (now - this.#lookedAt < lookPauseMs) return;
    this.#lookedAt = now;
    // A failure is ignored here, because a failing storage rejects the run itself.
    void this.check().catch(() => undefined);
  }

  #tell(performer: "none yet" | "nothing"): void {
    if (this.#isTold) return;
    this.#isTold = true;
    if (performer === "nothing") {
      this.#logger.error(
        "Durable runs are refused: nothing performs them. Call `await runs.serve()` in this process, beside what serves it.",
      );
      return;
    }
    this.#logger.warn(
      "Durable runs wait: no live process performs them. Call `await runs.serve()` in at least one process of the service.",
    );
  }
}

/** Makes the client's error for a run that no process performs. The log tells the host how to correct that. */
function nothingPerforms(): TroupeError {
  return new TroupeError("unavailable", "The service does not perform such runs at present. Try again later.");
}
