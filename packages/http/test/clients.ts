import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { createId } from "@troupe/core/kit";
import { readSse } from "@troupe/core/provider";
import type { Service } from "./serve-agent.ts";

const json = { "content-type": "application/json" };

/** Posts JSON as most clients do. */
export async function post(service: Pick<Service, "url">, path: string, more: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ input: "Hello?", sessionId: "s" });
  return await fetch(service.url + path, { method: "POST", headers: json, body, ...more });
}

/** An event of a stream. */
export type Frame = {
  id: string | undefined;
  data: { type: string; text?: string; error?: { code: string; message: string } };
};

/** Reads all events of a stream. */
export async function readFrames(response: Response): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const { id, data } of readSse(response.body as AsyncIterable<Uint8Array>)) {
    frames.push({ id, data: JSON.parse(data) as Frame["data"] });
  }
  return frames;
}

/** Returns the bytes of a request, for clients that use their connection as `fetch` never does. */
export function requestBytes(path: string, { version = "1.1", sessionId = createId() } = {}): string {
  const body = JSON.stringify({ input: "Hello?", sessionId });
  const head = [`POST ${path} HTTP/${version}`, "host: test", "content-type: application/json"];
  return `${[...head, `content-length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`;
}

/** Opens a connection. */
export async function openSocket({ port }: Service): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Reads a connection to its end. */
export async function readToEnd(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
