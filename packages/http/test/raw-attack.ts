import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { open } from "./raw.ts";

/** What a hostile client does on a connection of its own. */
export type RawAttack = {
  /** What it sends, with a moment between the pieces. */
  send: readonly (string | Buffer)[];
  /** What it does then: reads to the end, ends its own side and reads, reads nothing for a while, leaves, or resets the connection. */
  then: "read" | "half-close" | "stop" | "leave" | "reset";
  /** The statuses that it gets when it reads to the end. */
  statuses: readonly number[];
};

/** Longer than the two seconds for which a connection lingers whose body was refused. */
const patienceMs = 10_000;

/** Does it once, and tells what was not as it must be, if anything. */
export async function attack(port: number, { send, then, statuses }: RawAttack): Promise<string | undefined> {
  const socket = open(port);
  const received: Buffer[] = [];
  if (then !== "stop") socket.on("data", (piece: Buffer) => received.push(piece));
  await once(socket, "connect");
  for (const piece of send) {
    if (socket.writable) socket.write(piece);
    await sleep(1);
  }
  const hasEnded = await end(socket, then);
  const seen = statusesIn(Buffer.concat(received).toString("latin1"));
  if (!hasEnded) return `got ${seen.join(" ") || "nothing"}, and no end`;
  const readsAll = then === "read" || then === "half-close";
  const isRight = readsAll ? seen.join() === statuses.join() : seen.every((status) => status < 500);
  return isRight ? undefined : `got ${seen.join(" ") || "nothing"}, and not ${statuses.join(" ")}`;
}

/** Whether the connection ended in time. */
async function end(socket: Socket, then: RawAttack["then"]): Promise<boolean> {
  if (then === "half-close") socket.end();
  if (then === "stop") await sleep(50);
  if (then === "stop" || then === "leave") socket.destroy();
  if (then === "reset") socket.resetAndDestroy();
  if (socket.closed) return true;
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  const startedAt = performance.now();
  await once(socket, "close");
  clearTimeout(timer);
  return performance.now() - startedAt < patienceMs;
}

/** Those of answers, and not of what is said before them. */
function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status >= 200);
}
