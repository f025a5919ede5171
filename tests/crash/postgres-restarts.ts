import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "@troupe-internal/fault-tools";
import type { StorageAddress } from "../processes/open-storage.ts";
import { buildService } from "./build-service.ts";
import { Client } from "./client.ts";
import type { Answer } from "./client.ts";
import { judge } from "./judge.ts";
import { ServiceProcess } from "./service-process.ts";
import { startStrictVendor } from "./strict-vendor.ts";

/** Number of restarts, and of runs that are acknowledged meanwhile. */
export type RestartPlan = { restarts: number; runs: number };

/** Observations of one service while its database server was restarted. */
export type RestartRecord = {
  acknowledged: number;
  refused: number;
  /** Runs in flight at each restart. */
  inFlight: number[];
  /** A sentence for each promise that was broken. */
  faults: string[];
};

const sessionCount = 24;

/** Fewer runs in flight do not make a restart one under load. */
const minInFlight = 20;

/** Restarts the server of a service, alternately in order and as a crash, and compares the stored sessions with the answers. */
export async function tryRestarts(server: PostgresServer, plan: RestartPlan): Promise<RestartRecord> {
  const [vendor, built] = await Promise.all([
    startStrictVendor(),
    buildService(new URL("./service.ts", import.meta.url)),
  ]);
  const storage: StorageAddress = { kind: "postgres", address: server.url };
  const service = await ServiceProcess.boot(built.file, { storage, vendorUrl: vendor.url });
  try {
    await service.serve();
    const load = new Load(service.url);
    for (let restart = 1; restart <= plan.restarts; restart += 1) {
      await load.untilAcknowledged((plan.runs * restart) / plan.restarts);
      load.noteRestart();
      await server.stop(restart % 2 === 0 ? "immediate" : "fast");
      await server.start();
    }
    await load.untilAcknowledged(load.record.acknowledged + sessionCount);
    await load.end();
    const { client, sessions, record } = load;
    const { operations } = client;
    const violations = await judge(storage, { sessions, operations, exchanges: vendor.exchanges });
    record.faults.push(...violations);
    if (!service.isAlive) record.faults.push("The service died with its server.");
    return record;
  } finally {
    await service.close();
    await vendor.close();
    built.remove();
  }
}

/** Sessions that ask without a pause until the load ends. */
class Load {
  readonly client = new Client();
  readonly sessions = Array.from({ length: sessionCount }, () => this.client.newSession());
  readonly record: RestartRecord = { acknowledged: 0, refused: 0, inFlight: [], faults: [] };
  readonly #url: string;
  readonly #asking: Promise<unknown>;
  #isOver = false;

  constructor(url: string) {
    this.#url = url;
    this.#asking = Promise.all(
      this.sessions.map(async (session) => {
        while (!this.#isOver) await this.#note(await this.client.ask(url, session));
      }),
    );
  }

  /** Resolves when `count` runs are acknowledged and enough are in flight. */
  async untilAcknowledged(count: number): Promise<void> {
    while (this.record.acknowledged < count || this.client.inFlight < minInFlight) await sleep(5);
  }

  noteRestart(): void {
    this.record.inFlight.push(this.client.inFlight);
  }

  /** Ends the load. The next run of every session must succeed, since the server runs again. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#asking;
    for (const session of this.sessions) {
      const answer = await this.client.ask(this.#url, session);
      if (answer.end !== "acknowledged") this.record.faults.push(`A later run failed: ${JSON.stringify(answer)}.`);
    }
  }

  async #note(answer: Answer): Promise<void> {
    if (answer.end === "acknowledged") {
      this.record.acknowledged += 1;
      return;
    }
    this.record.refused += 1;
    const isRight = answer.end === "refused" && answer.code === "storage_unavailable";
    if (!isRight) this.record.faults.push(`A run did not end as storage_unavailable: ${JSON.stringify(answer)}.`);
    // Retried a little later.
    await sleep(100);
  }
}
