import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession } from "./client.ts";
import type { KilledMoment } from "./killed-moments.ts";
import type { Scene } from "./scene.ts";
import type { ServiceProcess } from "./service-process.ts";

/** A kill: the service, the moment, and the sessions that ask meanwhile. */
type Kill = { service: ServiceProcess; moment: KilledMoment; sessions: readonly ClientSession[] };

/** `gone` resolves when the service is dead, with whether it died at the chosen moment. `onAnswer` is called for each answer. */
type Armed = { gone: Promise<boolean>; onAnswer: () => void };

/** Fewer runs in flight do not make a kill one under load. */
const minInFlight = 8;

/** Milliseconds to wait for the moment: the service is killed then, and the kill does not count. */
const patienceMs = 20_000;

/**
 * Kills the service while each session asks one question after the other. Returns whether the kill counts: it hit its
 * moment, and under load. How often that happens depends on the machine, so a kill that does not count is to be repeated.
 */
export async function killUnderLoad(scene: Scene, kill: Kill): Promise<boolean> {
  const { service, moment, sessions } = kill;
  const { gone, onAnswer } = await arm(scene, kill);
  const load = sessions.map(async (session) => await askUntilCut(scene, { service, session, onAnswer }));
  const late = killLater(service);
  const isHit = (await Promise.race([gone, late.killed])) && !late.isOver();
  late.clear();
  const inFlight = (await Promise.all(load)).filter((wasCut) => wasCut).length;
  const counts = isHit && inFlight >= minInFlight;
  scene.record.noteKill({ moment, counts, inFlight });
  return counts;
}

async function arm({ random }: Scene, { service, moment, sessions }: Kill): Promise<Armed> {
  const draw = random();
  if (moment === "random") return armAfterAnswer(service, draw * 300);
  const perTurn = moment === "after_model" || moment === "after_tool" ? 2 : 1;
  const occurrence = Math.ceil(perTurn * (4 + draw * 2 * sessions.length));
  const { gone } = await service.killAt(moment, { occurrence, share: random() });
  return { gone, onAnswer: () => {} };
}

/** Kills some time after the first answer, so that turns are under way also on a slow machine. */
function armAfterAnswer(service: ServiceProcess, delayMs: number): Armed {
  const { promise, resolve: onAnswer } = Promise.withResolvers<void>();
  const gone = promise.then(async () => {
    await sleep(delayMs);
    await service.kill();
    return true;
  });
  return { gone, onAnswer };
}

/** Kills the service when its moment has not come in time. */
function killLater(service: ServiceProcess) {
  const { promise: killed, resolve } = Promise.withResolvers<boolean>();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    void service.kill().then(() => resolve(false));
  }, patienceMs);
  return { killed, isOver: () => isOver, clear: () => clearTimeout(timer) };
}

type Load = { service: ServiceProcess; session: ClientSession; onAnswer: () => void };

/** Asks until the service is dead. Returns whether the last question was in flight then. */
async function askUntilCut({ client, record }: Scene, { service, session, onAnswer }: Load): Promise<boolean> {
  for (;;) {
    const answer = await client.ask(service.url, session);
    record.noteAnswer(answer);
    if (answer.end !== "acknowledged") return answer.end === "cut";
    onAnswer();
  }
}
