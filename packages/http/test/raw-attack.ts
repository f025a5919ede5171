import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { open } from "./raw.ts";

/** What a hostile client does on a connection of its own. */
export type RawAttack = {
  /** What it sends, with a moment between the pieces. */
  send: readonly (string | Buffer)[];
  /** What it does then: reads to the end, ends its own side and reads, reads nothing for a while, leaves, or resets the connection. */
  afterwards: "read" | "half-close" | "stop" | "leave" | "reset";
  /** The statuses that it gets when it reads to the end. */
  statuses: readonly number[];
};

/** What no connection lasts on which nothing happens any more, however busy the machine is. */
const patienceMs = 300_000;

/** Does it once, and tells what was not as it must be, if anything. */
export async function attack(port: number, { send, afterwards, statuses }: RawAttack): Promise<string | undefined> {
  const socket = open(port);
  const received: Buffer[] = [];
  if (afterwards !== "stop") socket.on("data", (piece: Buffer) => received.push(piece));
  await once(socket, "connect");
  for (const piece of send) {
    if (socket.writable) socket.write(piece);
    await sleep(1);
  }
  const hasEnded = await end(socket, afterwards);
  const seen = statusesIn(Buffer.concat(received).toString("latin1"));
  if (!hasEnded) return `got ${seen.join(" ") || "nothing"}, and no end`;
  const readsAll = afterwards === "read" || afterwards === "half-close";
  const isRight = readsAll ? seen.join() === statuses.join() : seen.every((status) => status < 500);
  return isRight ? undefined : `got ${seen.join(" ") || "nothing"}, and not ${statuses.join(" ")}`;
}

/** Whether the connection ended in time. */
async function end(socket: Socket, afterwards: RawAttack["afterwards"]): Promise<boolean> {
  if (afterwards === "half-close") socket.end();
  if (afterwards === "stop") await sleep(50);
  if (afterwards === "stop" || afterwards === "leave") socket.destroy();
  if (afterwards === "reset") socket.resetAndDestroy();
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
