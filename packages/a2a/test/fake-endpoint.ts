import { expect } from "vitest";
import type { RemoteEvent } from "../src/client/read-reply.ts";
import type { CallSetting, RemoteEndpoint } from "../src/client/remote-endpoint.ts";
import { RemoteExchange } from "../src/client/remote-exchange.ts";
import type { ExchangeInit } from "../src/client/remote-exchange.ts";
import { RemoteFailure } from "../src/client/remote-failure.ts";
import type { RemoteCall } from "../src/client/write-call.ts";
import type { A2AMessage, A2ATask, A2ATaskState } from "../src/wire/task.ts";

/** A call of an endpoint, and the time of it. */
type Made = { call: RemoteCall; setting: CallSetting; timeoutMs: number | undefined; at: number };

/** The answer of an endpoint: an event, or several as a stream. A failure among them is thrown. */
export type Reply = RemoteEvent | Error | (RemoteEvent | Error)[];

/** An endpoint without a network: the calls that it got, and the streams of it that were left. */
export type FakeEndpoint = {
  readonly endpoint: RemoteEndpoint;
  readonly made: Made[];
  readonly left: string[];
  ops(): string[];
};

/** The message of all exchanges, and the headers of their user. */
export const sent: ExchangeInit["message"] = { messageId: "m-1", role: "user", parts: [{ kind: "text", text: "Hi" }] };
const users = { "x-user": "ada" };

/** The setting of each call. */
export const usersSetting = { users, signal: expect.any(AbortSignal) as unknown };

/** Makes an endpoint that answers each call by its number, from 0 on. */
export function endpointOf(
  reply: (call: RemoteCall, index: number) => Reply | Promise<Reply>,
  streams = false,
): FakeEndpoint {
  const made: Made[] = [];
  const left: string[] = [];
  const take = (call: RemoteCall, setting: CallSetting, timeoutMs?: number) => {
    made.push({ call, setting, timeoutMs, at: Date.now() });
    return reply(call, made.length - 1);
  };
  const endpoint = {
    streams,
    async call(...given: Parameters<typeof take>): Promise<RemoteEvent> {
      const [event] = [await take(...given)].flat();
      if (event === undefined) throw new Error("The script has no answer.");
      if (event instanceof Error) throw event;
      return event;
    },
    async *stream(...given: Parameters<typeof take>): AsyncGenerator<RemoteEvent, void, undefined> {
      try {
        for (const event of [await take(...given)].flat()) {
          if (event instanceof Error) throw event;
          yield event;
        }
      } finally {
        left.push(given[0].op);
      }
    },
  };
  return { endpoint: endpoint as unknown as RemoteEndpoint, made, left, ops: () => made.map(({ call }) => call.op) };
}

/** Begins an exchange with endpoints, and collects those that it notes. */
export function begin(given: Partial<ExchangeInit>, ...endpoints: { endpoint: RemoteEndpoint }[]) {
  const exchange = new RemoteExchange({ message: sent, context: {}, outputModes: undefined, ...given });
  const noted: RemoteEndpoint[] = [];
  const route = {
    endpoints: endpoints.map((each) => each.endpoint),
    users,
    note: (at: RemoteEndpoint) => noted.push(at),
  };
  return { exchange, noted, events: exchange.events(route) };
}

/** A failure with a code of JSON-RPC. */
export const rpc = (rpcCode: number) => new RemoteFailure("rpc", { happened: `refused (${rpcCode})`, rpcCode });
/** A failure after which the task may go on. */
export const dropped = () => new RemoteFailure("unreachable", { happened: "broke off" });

/** A task in a state, as a remote agent tells of it. */
export function task(state: A2ATaskState, fields: Partial<A2ATask> = {}): RemoteEvent {
  const facts = { id: "t-1", contextId: "c-1", artifacts: [], history: [] };
  return { type: "task", task: { ...facts, status: { state, at: 0 }, ...fields } };
}

/** A status of the task. */
export function status(state: A2ATaskState, ids = { taskId: "t-1", contextId: "c-1" }): RemoteEvent {
  return { type: "status", ...ids, status: { state, at: 0 } };
}

/** A message of the agent. */
export function said(fields: Partial<A2AMessage> = {}): RemoteEvent {
  return { type: "message", message: { messageId: "a", role: "agent", parts: [], ...fields } };
}
