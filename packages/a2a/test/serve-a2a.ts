import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, InMemoryStorage } from "@troupe/core";
import type { AgentConfig, UnstructuredRunOutput, Runnable, RunOutput, RunStream, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { ScriptedAnswer } from "@troupe/core/testing";
import express from "express";
import { onTestFinished } from "vitest";
import { createA2AServer } from "../src/create-a2a-server.ts";
import type { A2AServer, A2AServerOptions } from "../src/create-a2a-server.ts";

export type { A2AServerOptions } from "../src/create-a2a-server.ts";

/** Makes an agent `helper` that plays a script. */
export function scriptedAgent(answers: readonly ScriptedAnswer[], config: Partial<AgentConfig> = {}): Agent {
  return new Agent({ name: "helper", model: new ScriptedModel(...answers), storage: new InMemoryStorage(), ...config });
}

/** Makes a runnable `helper` of a third party: its stream is made by a function, and its output has these fields. */
export function madeAgent(
  read: (signal: AbortSignal | undefined) => AsyncGenerator<StreamChunk, Partial<UnstructuredRunOutput>>,
): Runnable {
  const { eventBus } = scriptedAgent([]);
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
  const stream: Runnable["stream"] = (_input, { runId = "", sessionId = "", signal } = {}) => {
    const whole = Promise.withResolvers<RunOutput>();
    whole.promise.catch(() => undefined);
    const ids = { runId, sessionId, status: "completed" } as const;
    const rest: UnstructuredRunOutput = { text: "", toolCalls: [], usage, ...ids, durationMs: 1 };
    async function* chunks(): AsyncGenerator<StreamChunk, void> {
      try {
        whole.resolve({ ...rest, ...(yield* read(signal)) });
      } catch (error) {
        whole.reject(error);
        throw error;
      }
    }
    return { runId, output: whole.promise, [Symbol.asyncIterator]: chunks } as unknown as RunStream;
  };
  return {
    name: "helper",
    kind: "agent",
    eventBus,
    stream,
    run: () => Promise.reject(new Error("Only its stream is read.")),
  };
}

/** An agent that says one piece, and the next when it is let go. Its end is the abort of its signal, too. */
export function heldAgent(pieces: readonly string[] = ["One ", "two."]): {
  agent: Runnable;
  release: () => void;
  aborts: () => number;
} {
  const gate = Promise.withResolvers<void>();
  const signals: (AbortSignal | undefined)[] = [];
  const agent = madeAgent(async function* (signal) {
    signals.push(signal);
    for (const [index, text] of pieces.entries()) {
      if (index === 1) await Promise.race([gate.promise, aborted(signal)]);
      yield { type: "text", text };
    }
    if (pieces.length === 0) await Promise.race([gate.promise, aborted(signal)]);
    return { text: pieces.join("") };
  });
  return { agent, release: () => gate.resolve(), aborts: () => signals.filter((signal) => signal?.aborted).length };
}

async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_, reject) => {
    const end = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

type ShownMessage = { messageId: string; role: string; parts: unknown[]; metadata?: object };

/** A task as its client gets it. Tests that read what is not there fail by that. */
export type ShownTask = {
  kind: string;
  id: string;
  contextId: string;
  status: { state: string; timestamp: string; message: ShownMessage };
  artifacts: { artifactId: string; name: string; parts: unknown[] }[];
  history: ShownMessage[];
  metadata: { usage: object };
};

/** A result or a frame as a client gets it, with the fields of all results that tests read. */
export type Received = ShownTask & {
  task: ShownTask;
  statusUpdate: Pick<ShownTask, "status"> & { taskId: string };
  artifactUpdate: { artifact: ShownTask["artifacts"][number]; append?: boolean; lastChunk?: boolean };
  artifact: ShownTask["artifacts"][number];
  append: boolean;
  lastChunk: boolean;
  final: boolean;
  tasks: ShownTask[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
};

/** The body of a response: its result, or an error. The one that is not there is not read. */
type RpcBody = { id: unknown; result: Received; error: { code: number; message: string; data: unknown } };

/** A response to a call. */
export type Reply = RpcBody & { status: number; headers: Headers };

/** Options of a call: the user that the host has authenticated, headers, the path and a signal that leaves. */
export type CallOptions = { as?: string; headers?: Record<string, string>; path?: string; signal?: AbortSignal };

/** Returns the options of a call of a user, who may be of a tenant. */
export function asUser({ userId, tenantId }: { userId: string; tenantId?: string }): CallOptions {
  return { as: userId, ...(tenantId !== undefined && { headers: { "x-tenant": tenantId } }) };
}

/** A server under test, with functions that call it as a client by hand does. */
export type ServedA2A = {
  readonly url: string;
  readonly server: Server;
  readonly service: A2AServer["service"];
  call(method: string, params: object, options?: CallOptions): Promise<Reply>;
  /** Calls a method that streams, and yields the result of each frame. */
  stream(method: string, params: object, options?: CallOptions): AsyncGenerator<Received, void>;
  close(): Promise<void>;
};

/** Makes the handler of a server that is closed after the test, for a test that mounts it by itself. */
export function routerOf(options: A2AServerOptions): A2AServer {
  const handler = createA2AServer(options);
  const { service } = handler;
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return handler;
}

/**
 * Serves agents over A2A until the test is over. The headers `x-user` and `x-tenant` stand for the host's authentication; `user`
 * is the user of requests without them.
 */
export async function serveA2A(options: A2AServerOptions, user?: string): Promise<ServedA2A> {
  const app = express();
  app.use((request, _response, next) => {
    const { "x-user": userId = user, "x-tenant": tenantId } = request.headers;
    if (userId !== undefined) Object.assign(request, { principal: { userId, ...(tenantId && { tenantId }) } });
    next();
  });
  const handler = routerOf(options);
  app.use(handler);
  const server = app.listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, server, close, service: handler.service, ...callerOf(url, options.basePath) };
}

/** Returns the functions that call a server by hand. */
export function callerOf(url: string, basePath = "/"): Pick<ServedA2A, "call" | "stream"> {
  const send = async (method: string, params: object, { as, headers, signal, path }: CallOptions = {}) =>
    await fetch(url + (path ?? basePath), {
      method: "POST",
      headers: { "content-type": "application/json", ...(as !== undefined && { "x-user": as }), ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      ...(signal && { signal }),
    });
  return {
    async call(method, params, callOptions) {
      const response = await send(method, params, callOptions);
      const { status, headers } = response;
      return { status, headers, ...((await response.json()) as RpcBody) };
    },
    async *stream(method, params, callOptions) {
      const response = await send(method, params, callOptions);
      if (response.headers.get("content-type") !== "text/event-stream") {
        throw new Error(`Expected a stream, got ${await response.text()}`);
      }
      for await (const frame of framesOf(response)) yield (frame as RpcBody).result;
    },
  };
}

/** Yields the JSON of each frame of a stream. */
export async function* framesOf(response: Response): AsyncGenerator<object, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames)
      if (frame.startsWith("data: ")) yield JSON.parse(frame.slice("data: ".length)) as object;
  }
}

let messages = 0;

/** Makes the parameters of a message of A2A 0.x. */
export function message0(text: string, fields: object = {}): { message: object } {
  const parts = [{ kind: "text", text }];
  return { message: { kind: "message", messageId: `m-${++messages}`, role: "user", parts, ...fields } };
}

/** Makes the parameters of a message of A2A 1.0. */
export function message1(text: string, fields: object = {}): { message: object } {
  return { message: { messageId: `m-${++messages}`, role: "ROLE_USER", parts: [{ text }], ...fields } };
}

/** Asks for a task until it has a state of 0.x. */
export async function untilState(served: ServedA2A, id: string, state: string): Promise<ShownTask> {
  for (;;) {
    const { result } = await served.call("tasks/get", { id });
    if (result.status.state === state) return result;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Reads the first frame of a stream. */
export async function firstOf(stream: AsyncGenerator<Received, void>): Promise<Received> {
  const { value } = await stream.next();
  if (value === undefined) throw new Error("The stream has no frames.");
  return value;
}

/** The texts of all artifact updates, in both versions. */
export function textsOf(events: readonly Received[]): string[] {
  const parts = events.flatMap(({ artifact, artifactUpdate }) => (artifactUpdate?.artifact ?? artifact)?.parts ?? []);
  return parts.flatMap((part) => (part as { text?: string }).text ?? []);
}
