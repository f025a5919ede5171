import { stderr } from "node:process";
import { createLogger, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { Json, StorageDriver } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { RunWriteRecorder } from "@troupe/core/testing";
import { DyingProcess } from "./dying-process.ts";
import type { Counted, Crash } from "./dying-process.ts";
import { entriesOf, recordNumbers } from "./read-run-log.ts";
import type { StoredEntry } from "./read-run-log.ts";
import { Reader } from "./reader.ts";
import { Schedule } from "./schedule.ts";
import { answerOf } from "./scenes.ts";
import type { Scene } from "./scenes.ts";
import { World } from "./world.ts";

/** The id of all runs, each in a storage of its own, so that two of a scene are alike in all but time. */
const sceneRunId = "5b1e9f3c-0000-4000-8000-000000000002";

/** A storage that several processes open at the same time, and the recorder of its writes if there is one. */
export type SharedPlace = { readonly open: () => StorageDriver; readonly recorder?: RunWriteRecorder };

/** The outcome of a run that was cut off: its records, the events that its client has read, and its effects. */
export type Outcome = {
  readonly world: World;
  readonly reader: Reader;
  /** A client that came when all was over. */
  readonly late: Reader;
  readonly view: RunView;
  readonly entries: readonly StoredEntry[];
  readonly numbers: readonly number[];
  readonly turns: readonly Json[];
  /** The writes of the first process. */
  readonly counts: Readonly<Record<Counted, number>>;
};

/** Plays a scene in processes that crash, one after the other, and in one after them that does not. */
export async function play(scene: Scene, place: SharedPlace, crashes: readonly Crash[] = []): Promise<Outcome> {
  const stage = new Play(scene, place);
  let deaths = 0;
  let connection = await stage.start(crashes[deaths]);
  const { process: first } = connection;
  while (!(await stage.finish(connection))) connection = await stage.start(crashes[++deaths]);
  return { ...(await stage.end(connection)), counts: first.counts };
}

/** Plays a scene in two processes that perform the run at the same time, whose storage calls are made in this order. */
export async function playTwice(scene: Scene, turns: ConstructorParameters<typeof Schedule>[0]): Promise<Outcome> {
  const recorder = new RunWriteRecorder();
  const storage = recorder.memory();
  const schedule = new Schedule(turns);
  let opened = 0;
  // The first connection is that of the checks.
  const stage = new Play(scene, {
    recorder,
    open: () => {
      opened += 1;
      return opened === 1 ? storage : schedule.connect(storage, opened === 2 ? 0 : 1);
    },
  });
  stage.world.hasTwoProcesses = true;
  const scheduled = schedule.run();
  const connection = await stage.start();
  await stage.accept(connection);
  // It takes up the run, which is not over.
  const other = stage.start();
  await stage.reader.follow(connection);
  await scheduled;
  await (await other).service.close();
  return { ...(await stage.end(connection)), counts: connection.process.counts };
}

type Connection = { readonly process: DyingProcess; readonly service: RunService };

/** A run of a scene, with its world, its client and its processes. */
class Play {
  readonly world: World;
  readonly reader: Reader;
  readonly #scene: Scene;
  readonly #place: SharedPlace;
  readonly #storage: StorageDriver;
  readonly #drivers: StorageDriver[] = [];
  readonly #started: Connection[] = [];
  #processes = 0;
  #isAccepted = false;

  constructor(scene: Scene, place: SharedPlace) {
    this.#scene = scene;
    this.#place = place;
    this.#storage = place.open();
    this.world = new World(this.#storage);
    this.reader = new Reader(sceneRunId, (wait) => answerOf(this.world, wait));
  }

  /** Starts a process that serves runs. */
  async start(crash?: Crash): Promise<Connection> {
    const { world } = this;
    const driver = this.#place.open();
    this.#drivers.push(driver);
    const process = new DyingProcess(driver, crash);
    const parts = this.#scene.create({ process, world, generation: ++this.#processes, runId: sceneRunId });
    // What the calls of a buried process fail with is of no interest.
    const logger = createLogger({ write: (line) => void (process.isDead || stderr.write(line)) });
    const service = new RunService({ logger, ...parts, storage: process.storage });
    this.#started.push({ process, service });
    await process.unlessDead(service.serve());
    return { process, service };
  }

  /** Brings the run to its end in a process. False when that died before. */
  async finish(connection: Connection): Promise<boolean> {
    if (!(await this.accept(connection))) return false;
    if (this.reader.ends.length === 0 && !(await this.reader.follow(connection))) return false;
    return (await connection.process.unlessDead(untilOver(connection.service, this.#storage))) !== undefined;
  }

  /** Asks a process for the run, unless one has accepted it: a client that got no answer asks again. False when it died. */
  async accept({ process, service }: Connection): Promise<boolean> {
    const { kind } = this.#scene;
    const request = { kind, name: "scene", input: "Go on.", options: { sessionId: "s" }, runId: sceneRunId };
    const accepting = this.#isAccepted ? Promise.resolve(true) : service.accept(request).then(() => true, isAccepted);
    this.#isAccepted = (await process.unlessDead(accepting)) === true;
    return this.#isAccepted;
  }

  /** Reads all that is stored of a run that is over, and closes the storage. */
  async end(connection: Connection): Promise<Omit<Outcome, "counts">> {
    const { world, reader } = this;
    const { service } = connection;
    const storage = this.#storage;
    const view = await untilOver(service, storage);
    const late = new Reader(sceneRunId);
    await late.follow(connection);
    const stored = {
      turns: (await storage.list("turns")).map(({ value }) => value),
      entries: await entriesOf(storage, sceneRunId),
      numbers: await recordNumbers(storage, sceneRunId),
    };
    await service.close();
    world.wrongs.push(...(this.#place.recorder?.violations ?? []));
    for (const { process } of this.#started) process.bury();
    await Promise.all(this.#started.map(async (each) => await each.service.close().catch(() => undefined)));
    await Promise.all([storage, ...this.#drivers].map(async (driver) => await driver.close()));
    return { world, reader, late, view, ...stored };
  }
}

/** Waits until the record of the run has its end, which follows that in the log, and the run is off the list of open ones. */
async function untilOver(service: RunService, storage: StorageDriver): Promise<RunView> {
  for (;;) {
    const view = await service.get(sceneRunId, "host");
    const open = await storage.list("run-open");
    if (view.endedAt !== undefined && open.length === 0) return view;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A run that is there was accepted by a process that died before it could say so. */
function isAccepted(error: unknown): true {
  if (TroupeError.is(error) && error.code === "conflict") return true;
  throw error;
}
