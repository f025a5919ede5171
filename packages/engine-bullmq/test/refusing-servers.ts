import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server on this machine that refuses, until the end of the test. */
export type RefusingServer = {
  readonly port: number;
  /** Returns the number of connections that are open. */
  readonly open: () => number;
  /** Returns the number of connections that were ever opened. */
  readonly opened: () => number;
};

/**
 * Starts a server that speaks just enough of PostgreSQL's protocol to get to its refusal: it refuses a wrong password,
 * and all statements after the first ones, which it answers with the number of the connection.
 */
export async function refusingPostgres(accepted: number, password: string): Promise<RefusingServer> {
  let statements = 0;
  return await serve((socket, number) => {
    let hasBegun = false;
    const answer = (kind: string, body: Buffer): void => {
      if (kind === "") socket.write(message("R", int32(3)));
      else if (kind === "p") {
        const isRight = body.toString() === `${password}\0`;
        socket.write(isRight ? Buffer.concat([message("R", int32(0)), ready]) : refusal("28P01"));
      } else if (kind === "Q" || kind === "S") {
        socket.write(++statements <= accepted ? rowOf(String(number)) : Buffer.concat([refusal("XX000"), ready]));
      } else if (kind === "X") socket.end();
    };
    return (bytes) => {
      // The first message of a connection has no kind.
      const start = hasBegun ? 1 : 0;
      if (bytes.length < start + 4) return 0;
      const end = start + bytes.readInt32BE(start);
      if (bytes.length < end) return 0;
      hasBegun = true;
      answer(bytes.toString("latin1", 0, start), bytes.subarray(start + 4, end));
      return end;
    };
  });
}

/** Starts a server that speaks just enough of Redis's protocol to say that it is too old for BullMQ. */
export async function oldRedis(): Promise<RefusingServer> {
  const info = "redis_version:4.0.0\r\nloading:0\r\n";
  return await serve((socket) => (bytes) => {
    // A command is a line with the number of its words, and two lines for each word.
    const lines = bytes.toString("latin1").split("\r\n");
    const count = 1 + 2 * Number(lines[0]?.slice(1));
    if (!(lines.length > count)) return 0;
    socket.write(/^info$/i.test(lines[2] ?? "") ? `$${info.length}\r\n${info}\r\n` : "+OK\r\n");
    return lines.slice(0, count).join("\r\n").length + 2;
  });
}

/** Takes the first message from the bytes of a connection, answers it, and returns its length; 0 if it is not whole. */
type Take = (bytes: Buffer) => number;

async function serve(begin: (socket: Socket, number: number) => Take): Promise<RefusingServer> {
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    const take = begin(socket, ++opened);
    let bytes = Buffer.alloc(0);
    socket.on("data", (piece) => {
      bytes = Buffer.concat([bytes, piece]);
      for (let end = take(bytes); end > 0; end = take(bytes)) bytes = bytes.subarray(end);
    });
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, open: () => sockets.size, opened: () => opened };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  return int32(value).subarray(2);
}

function message(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

const ready = message("Z", Buffer.from("I"));

function refusal(code: string): Buffer {
  return message("E", Buffer.from(`SERROR\0C${code}\0MThe server refuses.\0\0`));
}

/** The answer to a statement: one row with the column `pid`. */
function rowOf(pid: string): Buffer {
  const column = Buffer.concat([Buffer.from("pid\0"), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)]);
  const row = Buffer.concat([int16(1), int32(pid.length), Buffer.from(pid)]);
  return Buffer.concat([
    message("T", Buffer.concat([int16(1), column])),
    message("D", row),
    message("C", Buffer.from("SELECT 1\0")),
    ready,
  ]);
}
