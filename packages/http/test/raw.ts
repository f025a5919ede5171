import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

/** A connection of one's own, for what `fetch` would never send. */
export function open(port: number): Socket {
  // What is received until then is what a client has that is reset.
  return connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
}

/** Sends bytes as they stand, and gives back what comes until the connection ends. */
export async function sendRaw({ port }: { port: number }, ...pieces: (string | Uint8Array)[]): Promise<string> {
  const socket = open(port);
  const received: Buffer[] = [];
  socket.on("data", (piece: Buffer) => received.push(piece));
  for (const piece of pieces) socket.write(piece);
  if (!socket.closed) await once(socket, "close");
  return Buffer.concat(received).toString();
}

/** The head of a request; the connection is closed behind the answer. */
export function head(path: string, ...headers: string[]): string {
  return [`POST ${path} HTTP/1.1`, "Host: test", "Connection: close", ...headers, "", ""].join("\r\n");
}
