import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunKind } from "@troupe/core/runs";
import type { Principal } from "@troupe/core/service";
import type {
  SentError,
  SentRunFields,
  TransportAnswer,
  TransportClient,
  TransportEvent,
  TransportHarness,
  TransportRun,
} from "@troupe/core/testing";
import { watchSocket } from "@troupe-internal/stream-grammars";
import { Server } from "socket.io";
import { io as dial } from "socket.io-client";
import type { Socket } from "socket.io-client";
import { createAgentGateway } from "../src/create-agent-gateway.ts";
import type { Transport } from "./serve-gateway.ts";

type Payload = { readonly [field: string]: unknown };
type Ids = { runId: string; sessionId: string };

/** Serves over Socket.IO for the suite of transports. The principal comes in the handshake, as only a test may have it. */
export function socketHarness(transport: Transport): TransportHarness {
  return {
    async serve(served) {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      const io = new Server(server);
      const gateway = createAgentGateway({
        io,
        ...served,
        authMiddleware: (socket, next) => {
          const { principal } = socket.handshake.auth as { principal?: Principal };
          socket.data = { principal };
          next();
        },
      });
      const { port } = server.address() as AddressInfo;
      return {
        connect: async (principal) => {
          const options = { transports: [transport], forceNew: true, reconnection: false };
          const socket = watchSocket(dial(`http://127.0.0.1:${port}/service`, { ...options, auth: { principal } }));
          await new Promise((resolve) => void socket.once("connect", () => resolve(undefined)));
          return new SocketIoClient(socket);
        },
        async close() {
          server.closeAllConnections();
          await io.close();
          await gateway.close();
        },
      };
    },
  };
}

class SocketIoClient implements TransportClient {
  readonly #socket: Socket;
  readonly #listeners = new Set<(name: string, payload: Payload) => void>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.onAny((name: string, payload: Payload) => {
      for (const listener of this.#listeners) listener(name, payload);
    });
  }

  async call(kind: RunKind, name: string, fields: SentRunFields): Promise<TransportAnswer> {
    const run = this.stream(kind, name, fields);
    await run.ended;
    const last = run.events.at(-1);
    const { output } = (last?.data ?? {}) as { output?: unknown };
    return {
      ...(await run.started),
      ...(last?.type === "error" ? { error: last.error } : { output }),
      data: run.events.map(({ data }) => data),
    };
  }

  stream(kind: RunKind, name: string, fields: SentRunFields): TransportRun {
    return this.#follow(`${kind}.run`, { name, ...fields });
  }

  attach(runId: string, after?: string): TransportRun {
    return this.#follow("agent.attach", { runId, ...(after !== undefined && { after }) });
  }

  async cancel(runId: string): Promise<{ status?: string; error?: SentError }> {
    const answer = await this.#ask("agent.cancel", { runId });
    return "error" in answer ? { error: toSentError(answer) } : answer;
  }

  async answer(runId: string, waitId: string, answer: unknown): Promise<{ error?: SentError }> {
    const sent = await this.#ask("agent.answer", { runId, waitId, answer });
    return "error" in sent ? { error: toSentError(sent) } : {};
  }

  disconnect(): void {
    this.#socket.io.engine.close();
  }

  async #ask(event: string, payload: object): Promise<Payload> {
    return (await this.#socket.emitWithAck(event, payload)) as Payload;
  }

  #follow(event: string, payload: object): TransportRun {
    const events: TransportEvent[] = [];
    const ended = Promise.withResolvers<void>();
    const started = Promise.withResolvers<Ids | undefined>();
    this.#socket.once("disconnect", () => {
      started.resolve(undefined);
      ended.resolve();
    });
    // The acknowledgement comes before the first event of the run.
    this.#socket.emit(event, payload, (answer: Payload) => {
      if ("error" in answer) {
        events.push({ type: "error", error: toSentError(answer), data: answer });
        started.resolve(undefined);
        return ended.resolve();
      }
      this.#listeners.add((name, each) => {
        if (each["runId"] !== answer["runId"]) return;
        events.push(toEvent(name, each));
        if (name === "agent.done" || name === "agent.error") ended.resolve();
      });
      started.resolve(answer as Ids);
    });
    return { started: started.promise, events, ended: ended.promise };
  }
}

function toSentError({ error, code }: Payload): SentError {
  return { code: String(code), message: String(error) };
}

function toEvent(name: string, data: Payload): TransportEvent {
  const { toolCallId, toolName, result, waitId, id } = data as { [field: string]: string };
  const base = { data, ...(id !== undefined && { id }) };
  switch (name) {
    case "agent.chunk":
      return { ...base, type: "text", text: String(data["chunk"]) };
    case "agent.tool.call":
      return { ...base, type: "tool_call", toolCallId: String(toolCallId), toolName: String(toolName) };
    case "agent.tool.result":
      return { ...base, type: "tool_result", toolCallId: String(toolCallId), toolName: String(toolName), result };
    case "agent.tool.done":
      return { ...base, type: "tool_done", toolCallId: String(toolCallId) };
    case "agent.wait":
      return { ...base, type: "wait", waitId: String(waitId) };
    case "agent.done":
      return { ...base, type: "done" };
    case "agent.error":
      return { ...base, type: "error", error: toSentError(data) };
    default:
      return { ...base, type: "other" };
  }
}
