import { once } from "node:events";
import { open } from "./raw.ts";

/** So often another byte comes. */
const dripMs = 50;
const bytes = "POST /agents/a/run HTTP/1.1\r\nHost: test\r\nX-Slow: ";

/** Connections on which a head comes byte by byte and never comes to its end, until they are given up. */
export class SlowHeads {
  readonly #sockets: ReturnType<typeof open>[];
  readonly #drip: NodeJS.Timeout;
  #sent = 0;

  private constructor(sockets: ReturnType<typeof open>[]) {
    this.#sockets = sockets;
    this.#drip = setInterval(() => {
      const byte = bytes[this.#sent++] ?? "x";
      for (const socket of sockets) if (socket.writable) socket.write(byte);
    }, dripMs);
  }

  static async open(port: number, count: number): Promise<SlowHeads> {
    const sockets = Array.from({ length: count }, () => open(port).resume());
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new SlowHeads(sockets);
  }

  /** Gives them up, and tells how many were there until now. */
  close(): number {
    clearInterval(this.#drip);
    const left = this.#sockets.filter((socket) => socket.writable).length;
    for (const socket of this.#sockets) socket.destroy();
    return left;
  }
}
