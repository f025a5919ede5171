import type { StorageDriver } from "../storage-driver.ts";
import { deaths, DyingDriver } from "./dying-driver.ts";
import type { DeathPlan } from "./dying-driver.ts";

/** The work of a process in several calls of a storage, and the promises that hold whenever the process dies. */
export type DeathScene<Driver extends object = StorageDriver> = {
  /** Makes the storage, with what is there before. */
  create: () => Promise<Driver>;
  /** Does the work. It may reject only if the process dies. */
  act: (driver: Driver) => Promise<unknown>;
  /** Does what time does after a crash, such as to let a lease expire. */
  expire?: (driver: Driver) => Promise<unknown>;
  /** Checks what others find, after one crash or two. */
  left: (driver: Driver) => Promise<void>;
  /** Checks what others find once another process has done the work again, to its end. */
  done: (driver: Driver) => Promise<void>;
};

/** The calls at which the process that does the work again dies, too: none, those near the first crash, or all. */
export type SecondDeaths = "none" | "near" | "all";

/**
 * Lets a process die before and after each storage call of its work, or one in so many, and lets another process do the
 * work again, to its end and up to a second crash.
 */
export async function atEachDeath<Driver extends object>(
  scene: DeathScene<Driver>,
  seconds: SecondDeaths = "near",
  oneIn = 1,
): Promise<void> {
  for (const death of deaths) {
    for (let atCall = 1; await hasDiedAt(scene, [{ atCall, death }]); atCall += oneIn) {
      await atEachSecond(scene, { atCall, death }, seconds);
    }
  }
}

async function atEachSecond<Driver extends object>(
  scene: DeathScene<Driver>,
  first: DeathPlan,
  seconds: SecondDeaths,
): Promise<void> {
  const { atCall } = first;
  const near = [1, atCall, atCall + 1].filter((each, index) => index > 0 || each < atCall);
  if (seconds === "near") for (const second of near) await hasDiedAt(scene, [first, { ...first, atCall: second }]);
  if (seconds !== "all") return;
  for (let second = 1; await hasDiedAt(scene, [first, { ...first, atCall: second }]); second++);
}

/** Plays a scene with crashes, one after the other. Returns false if the last of them had nothing to interrupt. */
async function hasDiedAt<Driver extends object>(
  scene: DeathScene<Driver>,
  crashes: readonly DeathPlan[],
): Promise<boolean> {
  const driver = await scene.create();
  const moments: string[] = [];
  let hasDied = true;
  try {
    for (const crash of crashes) {
      const dying = new DyingDriver(driver, crash);
      await scene.act(dying.driver).catch((error: unknown) => {
        if (!dying.hasDied) throw error;
      });
      hasDied = dying.hasDied;
      if (hasDied) moments.push(dying.moment);
      await scene.expire?.(driver);
      await scene.left(driver);
    }
    await scene.act(driver);
    await scene.expire?.(driver);
    await scene.done(driver);
  } catch (error) {
    // The failure of a check says nothing of the crash that it follows.
    if (error instanceof Error) error.message = `After ${moments.join(", then ")}:\n${error.message}`;
    throw error;
  }
  return hasDied;
}
