import { connect } from "node:net";
import type { Socket } from "node:net";

/** An order of the measurement: open streams, open idle connections, or cut all at once. */
export type ClientOrder = { open: number; url: string; path: string } | { idle: number; url: string } | { cut: true };

/** The number of open connections, the last words of those that ended by themselves, and the moment of the answer. */
export type ClientAnswer = { open: number; lost: string[]; atMs: number };

/** Head lines as the fetch of Node sends them: a server keeps the head of a request while it answers. */
const fetchHead = [
  "connection: keep-alive",
  "content-type: application/json",
  "accept: */*",
  "accept-language: *",
  "sec-fetch-mode: cors",
  "user-agent: node",
  "accept-encoding: gzip, deflate",
];

const sockets = new Set<Socket>();
let lost: string[] = [];
let isCutting = false;

function dial(url: string): Socket {
  const { port, hostname: host } = new URL(url);
  const socket = connect({ port: Number(port), host });
  sockets.add(socket);
  let lastWords = "nothing";
  socket.on("error", ({ message }) => (lastWords = message));
  socket.on("data", (piece: Buffer) => (lastWords = piece.toString()));
  socket.on("close", () => {
    sockets.delete(socket);
    if (!isCutting) lost.push(lastWords);
  });
  return socket;
}

/** Resolves when the first piece has arrived. */
async function openStream(url: string, path: string, id: number): Promise<void> {
  const socket = dial(url);
  const body = JSON.stringify({ input: "Tell me something.", sessionId: `s${id}` });
  const head = [`POST ${path} HTTP/1.1`, `host: ${new URL(url).host}`, ...fetchHead];
  socket.write(`${[...head, `content-length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`);
  let text = "";
  await new Promise<void>((resolve) => {
    const read = (piece: Buffer): void => {
      text += piece.toString("latin1");
      if (!text.includes("data: {")) return;
      socket.off("data", read);
      resolve();
    };
    socket.on("data", read).once("close", resolve);
  });
}

/** Opens 100 at a time, so that no queue of the system overflows. */
async function inParallel(count: number, open: (id: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await open(next++);
  };
  await Promise.all(Array.from({ length: 100 }, worker));
}

async function obey(order: ClientOrder): Promise<void> {
  if ("cut" in order) {
    isCutting = true;
    for (const socket of sockets) socket.destroy();
    return;
  }
  isCutting = false;
  lost = [];
  if ("open" in order) await inParallel(order.open, (id) => openStream(order.url, order.path, id));
  else {
    await inParallel(order.idle, async () => {
      const socket = dial(order.url);
      await new Promise((resolve) => socket.once("connect", resolve));
    });
  }
}

async function answer(order: ClientOrder): Promise<void> {
  await obey(order);
  process.send?.({ open: sockets.size, lost, atMs: Date.now() } satisfies ClientAnswer);
}

process.on("message", (order: ClientOrder) => void answer(order));
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
