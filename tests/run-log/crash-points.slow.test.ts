import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunWriteRecorder } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Counted, Crash } from "./dying-process.ts";
import { checkOutcome } from "./check-outcome.ts";
import { play } from "./play.ts";
import type { SharedPlace } from "./play.ts";
import { scenes } from "./scenes.ts";
import type { Scene } from "./scenes.ts";

let folder = "";
let files = 0;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "troupe-run-log-"))));
afterAll(() => rmSync(folder, { recursive: true }));

function inMemory(): SharedPlace {
  const recorder = new RunWriteRecorder();
  const storage = recorder.memory();
  return { recorder, open: () => storage };
}

const places: [name: string, create: () => SharedPlace][] = [
  ["memory", inMemory],
  [
    "an SQLite file",
    () => {
      const file = join(folder, `${++files}.db`);
      return { open: () => new SqliteStorage(file, { durability: "normal" }) };
    },
  ],
];

/** The number of crashes that are played at the same time: most of the time they wait. */
const atOnce = 8;

describe.each(places)("a durable run over %s whose process dies at any insert into its log", (_, create) => {
  it.each(Object.entries(scenes))("goes on as if nothing had been: %s [run-log.crash]", async (_name, scene) => {
    expect(await crashEverywhere(scene, create, "inserts")).toEqual([]);
  });
});

describe("a durable run whose process dies at any write to its storage", () => {
  it.each(Object.entries(scenes))("goes on as if nothing had been: %s [run-log.crash]", async (_name, scene) => {
    expect(await crashEverywhere(scene, inMemory, "writes")).toEqual([]);
  });
});

/** Returns what went wrong, by the moment of the crash. */
async function crashEverywhere(scene: Scene, create: () => SharedPlace, of: Counted): Promise<string[]> {
  const wrongs: string[] = [];
  const whole = await play(scene, create());
  checkOutcome(scene, whole, whole);
  const moments = Array.from({ length: whole.counts[of] + 1 }, (_, index) => index + 1);
  const crashes = moments.flatMap((at) => (["before", "after"] as const).map((death): Crash => ({ of, at, death })));
  const rest = crashes.values();
  const work = async (): Promise<void> => {
    for (const crash of rest) wrongs.push(...(await crashOnce(scene, create(), { crash, whole })));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return wrongs;
}

type Trial = { crash: Crash; whole: Awaited<ReturnType<typeof play>> };

async function crashOnce(scene: Scene, place: SharedPlace, { crash, whole }: Trial): Promise<string[]> {
  try {
    checkOutcome(scene, await play(scene, place, [crash]), whole);
    return [];
  } catch (error) {
    return [`Died ${crash.death} the ${crash.at}th of its ${crash.of}: ${String(error)}`];
  }
}
