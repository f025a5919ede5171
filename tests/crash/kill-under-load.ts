import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession } from "./client.ts";
import type { KilledMoment } from "./killed-moments.ts";
import type { Scene } from "./scene.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Which service is killed, when, and who asks it meanwhile. */
type Kill = { service: ServiceProcess; moment: KilledMoment; sessions: readonly ClientSession[] };

/** Says when the service is gone, and whether it was killed at the moment that was meant; wants to know of answers. */
type Armed = { gone: Promise<boolean>; onAnswer: () => void };

/** A moment that has not come by then does not come. */
const patienceMs = 20_000;

/** Kills the service while each session asks one question after the other; whether it was at the moment that is meant. */
export async function killUnderLoad(scene: Scene, kill: Kill): Promise<boolean> {
  const { service, moment, sessions } = kill;
  const { gone, onAnswer } = await arm(scene, kill);
  const load = sessions.map(async (session) => await askUntilCut(scene, { service, session, onAnswer }));
  const isHit = await Promise.race([gone, outOfPatience(service)]);
  const inFlight = (await Promise.all(load)).filter((wasCut) => wasCut).length;
  scene.record.noteKill({ moment, isHit, inFlight });
  return isHit;
}

async function arm({ random }: Scene, { service, moment, sessions }: Kill): Promise<Armed> {
  const draw = random();
  if (moment === "random") return armAfterAnswer(service, draw * 300);
  const perTurn = moment === "after_model" || moment === "after_tool" ? 2 : 1;
  const { gone } = await service.killAt(moment, Math.ceil(perTurn * (4 + draw * 2 * sessions.length)));
  return { gone, onAnswer: () => {} };
}

/** Counted from an answer, any moment lies within turns also on a slow machine. */
function armAfterAnswer(service: ServiceProcess, delayMs: number): Armed {
  const { promise, resolve: onAnswer } = Promise.withResolvers<void>();
  const gone = promise.then(async () => {
    await sleep(delayMs);
    await service.kill();
    return true;
  });
  return { gone, onAnswer };
}

async function outOfPatience(service: ServiceProcess): Promise<boolean> {
  await sleep(patienceMs, undefined, { ref: false });
  await service.kill();
  return false;
}

type Load = { service: ServiceProcess; session: ClientSession; onAnswer: () => void };

/** Whether the last question was under way when the service died. */
async function askUntilCut({ client, record }: Scene, { service, session, onAnswer }: Load): Promise<boolean> {
  for (;;) {
    const answer = await client.ask(service.url, session);
    record.noteAnswer(answer);
    if (answer.end !== "acknowledged") return answer.end === "cut";
    onAnswer();
  }
}
