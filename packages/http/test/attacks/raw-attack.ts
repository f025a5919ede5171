import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { open } from "../raw.ts";

/** The behaviour of a hostile client on a connection of its own. */
export type RawAttack = {
  /** Pieces that it sends, with a pause after each. */
  send: readonly (string | Buffer)[];
  /** Then it reads to the end, ends its sending side and reads, reads nothing for a while, closes, or resets the connection. */
  afterwards: "read" | "end" | "stop" | "leave" | "reset";
  /** The statuses that it must get; undefined if any below 500 will do, since it may be gone before its answer. */
  statuses?: readonly number[];
};

/** Milliseconds after which a connection without events counts as never ending, however busy the machine is. */
const patienceMs = 300_000;

/** Carries out an attack. Returns a description of what went wrong, if anything did. */
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
  const got = `got ${seen.join(" ") || "nothing"}`;
  if (!hasEnded) return `${got}, and no end`;
  if (statuses === undefined) return seen.every((status) => status < 500) ? undefined : got;
  return seen.join() === statuses.join() ? undefined : `${got}, and not ${statuses.join(" ")}`;
}

/** Returns true if the connection ended in time. */
async function end(socket: Socket, afterwards: RawAttack["afterwards"]): Promise<boolean> {
  if (afterwards === "end") socket.end();
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

/** Returns the statuses of final answers, without those of interim responses. */
function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status >= 200);
}
