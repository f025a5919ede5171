import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

/** Opens a connection, for requests that `fetch` would never send. */
export function open(port: number): Socket {
  // After a reset, a client keeps what it has received.
  return connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
}

/** Sends bytes and returns what is received until the connection ends. */
export async function sendRaw({ port }: { port: number }, ...pieces: (string | Uint8Array)[]): Promise<string> {
  const socket = open(port);
  const received: Buffer[] = [];
  socket.on("data", (piece: Buffer) => received.push(piece));
  for (const piece of pieces) socket.write(piece);
  if (!socket.closed) await once(socket, "close");
  return Buffer.concat(received).toString();
}

/** Returns the head of a request that closes its connection after the answer. */
export function head(path: string, ...headers: string[]): string {
  return [`POST ${path} HTTP/1.1`, "Host: test", "Connection: close", ...headers, "", ""].join("\r\n");
}
