import { once } from "node:events";
import type { Socket } from "node:net";
import { open } from "../raw.ts";

/** Milliseconds between two bytes. */
const dripMs = 50;
const bytes = "POST /agents/a/run HTTP/1.1\r\nHost: test\r\nX-Slow: ";

/** Connections that send a head byte by byte, without ever completing it. */
export class SlowHeads {
  readonly #connections: { socket: Socket; received: string }[];
  readonly #drip: NodeJS.Timeout;
  #sent = 0;

  private constructor(sockets: readonly Socket[]) {
    this.#connections = sockets.map((socket) => {
      const connection = { socket, received: "" };
      socket.on("data", (piece: Buffer) => (connection.received += piece.toString()));
      return connection;
    });
    this.#drip = setInterval(() => {
      const byte = bytes[this.#sent++] ?? "x";
      for (const socket of sockets) if (socket.writable) socket.write(byte);
    }, dripMs);
  }

  static async open(port: number, count: number): Promise<SlowHeads> {
    const sockets = Array.from({ length: count }, () => open(port));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new SlowHeads(sockets);
  }

  /** Closes the connections and returns the fate of each: the status that it got, or whether it was dropped. */
  close(): ("waiting" | "dropped" | number)[] {
    clearInterval(this.#drip);
    return this.#connections.map(({ socket, received }) => {
      const silent = socket.writable ? "waiting" : "dropped";
      socket.destroy();
      return received === "" ? silent : Number(received.split(" ")[1]);
    });
  }
}
