import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LoggedAttempts } from "../../agents/journal/logged-past.ts";
import type { Journal } from "../../agents/journal/journal.ts";
import type { LogEnd } from "../../agents/journal/log-entry.ts";
import { readLog } from "../../agents/journal/read-log.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { lookUpTarget, toFailedEnd } from "./durable-target.ts";
import { endOf } from "../run-store/run-opts.ts";
import type { Running, RunRecord } from "../run-store/run-record.ts";
import type { StoredEnd } from "../run-store/run-store.ts";
import { writeInOrder } from "../states/run-transitions.ts";
import type { ServiceParts } from "./service-parts.ts";

/** Ends durable runs: in their log, in their record, in their session, and for the other parts of the service. */
export class RunEnds {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** Ends a run with an error, without performing its unfinished work. */
  async end(record: RunRecord, journal: Journal, error: TroupeError): Promise<void> {
    const end = toFailedEnd(error);
    if (error.code === "cancelled") end.output = await this.withToolStates(record.runId, end.output);
    // The journal's number counts, because the record may not count earlier attempts.
    await writeInOrder("end", {
      session: journal.attempt > 1 ? () => this.endSessionWait(record) : undefined,
      end: () => journal.end(end),
      record: () => this.finish(record, { attempts: journal.attempt, node: this.#parts.node, ...endOf(end) }),
    });
  }

  /** Stores the end from a run's log, with the log's number of attempts: after a crash the record may count fewer. */
  async finishLogged(record: RunRecord, ended: LogEnd, logged: LoggedAttempts | undefined): Promise<void> {
    await this.finish(record, { ...logged, ...endOf(ended) });
  }

  /** Stores the end of a run that its log already contains, and frees the process's state of the run. */
  async finish(record: RunRecord, end: StoredEnd & Partial<Running>, known?: RunRecord): Promise<void> {
    const { store, vault, admission, locals, logger } = this.#parts;
    // The run is removed from the counts first, because a client that has read the end may request the next run
    // immediately.
    admission?.remove(record.runId);
    vault.forget(record.runId);
    locals.delete(record.runId);
    await store.finish(record.runId, end, known).catch(async (error: unknown) => {
      if (!isInvalid(error)) throw error;
      // Together with the rest of the record, the output may be too large, although the log could store it.
      logger?.error("The output of a durable run is in its events alone: its record does not hold it.", { error });
      await store.finish(record.runId, { ...end, output: null });
    });
    this.#parts.memory?.end(record.runId);
  }

  /** Lets the run's session accept other runs, if the session notes that this run waits. */
  async endSessionWait({ kind, name, sessionId, owner, runId }: RunRecord): Promise<void> {
    const sessions = readProperty(lookUpTarget(this.#parts.registries, kind, name), "sessions");
    const endWait = readProperty(sessions, "endWait");
    if (typeof endWait !== "function") return;
    await Promise.resolve(Reflect.apply(endWait, sessions, [sessionId, runId, { owner }])).catch((error: unknown) =>
      this.#parts.logger?.warn("A session could not note that its run waits no longer.", { runId, error }),
    );
  }

  /** Adds the states of its tool calls to the output of a cancelled run. */
  async withToolStates(runId: string, output: Json): Promise<Json> {
    const states = new Map<string, { step: string; toolName: string; state: "settled" | "unsettled" }>();
    for await (const page of readLog(this.#parts.store.storage, runId)) {
      for (const entry of page.flatMap(({ record }) => record.entries)) {
        if (entry.t === "call") states.set(entry.step, { step: entry.step, toolName: entry.tool, state: "unsettled" });
        const call = entry.t === "done" ? states.get(entry.step) : undefined;
        if (call !== undefined) call.state = "settled";
      }
    }
    if (states.size === 0) return output;
    return { ...(isRecord(output) ? output : {}), toolStates: [...states.values()] };
  }
}
