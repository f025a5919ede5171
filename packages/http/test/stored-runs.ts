import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { AgentConfig } from "@troupe/core";
import type { RunServiceOptions } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { onTestFinished } from "vitest";
import { open } from "./raw.ts";
import { serve } from "./serve.ts";
import type { Hosting } from "./serve.ts";
import type { Service } from "./service.ts";
import type { RouterOptions } from "../src/create-agent-router.ts";

/** Makes a durable service over memory that performs its runs until the test is over. */
export async function durable(options: RunServiceOptions): Promise<RunService> {
  const service = new RunService({ storage: new InMemoryStorage(), ...options });
  onTestFinished(async () => await service.close());
  await service.serve();
  return service;
}

/** Makes an agent that asks for approval before it pays, with the payments that it has made. */
export function payer(config: Partial<AgentConfig> = {}): { agent: Agent; paid: unknown[] } {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: (args) => {
      paid.push(args);
      return "Paid.";
    },
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.at(-1)?.role === "tool"
      ? "It is done."
      : { toolCalls: [{ name: "pay", arguments: { amount: 20 } }] };
  });
  return { agent: new Agent({ name: "payer", model, tools: [pay], storage: new InMemoryStorage(), ...config }), paid };
}

/** The headers that name the user of a request, as the host's authentication of the tests reads them. */
export function as(userId: string, tenantId?: string): Record<string, string> {
  return { "x-test-user": userId, ...(tenantId !== undefined && { "x-test-tenant": tenantId }) };
}

/** Serves a router behind an authentication that believes the headers `x-test-user` and `x-test-tenant`. */
export async function serveUsers(options: RouterOptions, hosting: Hosting = {}): Promise<Service> {
  return await serve(options, {
    ...hosting,
    before: [
      (request, _response, next) => {
        const { "x-test-user": userId, "x-test-tenant": tenantId } = request.headers;
        if (userId !== undefined) Object.assign(request, { principal: { userId, tenantId } });
        next();
      },
    ],
  });
}

/** A frame of a stream. */
export type Frame = { id: string | undefined; data: Record<string, unknown> };

/** The part of a stream that a client has read on one connection. */
export type ReadPart = { head: string; status: number; frames: Frame[]; isEnded: boolean };

/**
 * A request on a socket of its own. `cutAfter`: the number of bytes of the answer behind which the client disconnects. `onText`:
 * called when a piece of the answer has text.
 */
type SocketRequest = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
  cutAfter?: number;
  onText?: () => void;
};

/** Reads a stream over a socket, as far as it goes, and parses each frame that came whole. */
export async function readPart({ port }: Pick<Service, "port">, asked: SocketRequest): Promise<ReadPart> {
  const { cutAfter = Infinity } = asked;
  const socket = open(port);
  socket.write(bytesOf(asked));
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of socket as AsyncIterable<Buffer>) {
    const kept = piece.subarray(0, Math.max(0, cutAfter - size));
    pieces.push(kept);
    size += kept.length;
    if (kept.includes('"type":"text"')) asked.onText?.();
    if (size >= cutAfter) break;
  }
  socket.destroy();
  const [head, rest] = splitOnce(Buffer.concat(pieces).toString(), "\r\n\r\n");
  const status = Number(/^HTTP\/1\.\d (\d+)/.exec(head)?.[1] ?? 0);
  return { head, status, frames: toFrames(rest), isEnded: size < cutAfter };
}

function bytesOf({ method = "GET", path, headers, body }: SocketRequest): string {
  const json = body === undefined ? "" : JSON.stringify(body);
  const ofBody = { "content-type": "application/json", "content-length": Buffer.byteLength(json) };
  const sent = { host: "test", connection: "close", ...headers, ...(body !== undefined && ofBody) };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.0`, ...lines].join("\r\n")}\r\n\r\n${json}`;
}

/** Returns the frames of a stream's text, without an incomplete one at its end and without heartbeats. */
export function toFrames(text: string): Frame[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .filter((block) => !block.startsWith(":"))
    .map((block) => {
      const [, id, data = ""] = /^(?:id: (.+)\n)?data: (.*)$/.exec(block) ?? [];
      return { id, data: JSON.parse(data) as Record<string, unknown> };
    });
}

/** Returns the text of the text chunks among frames. */
export function textOf(frames: readonly Frame[]): string {
  return frames.map(({ data }) => (data["type"] === "text" ? String(data["text"]) : "")).join("");
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
