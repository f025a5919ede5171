import { createServer } from "node:http";
import { Agent } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { Server } from "socket.io";
import { collectedHeap } from "../answer-rounds.ts";
import { FixedModel } from "../agent/fixed-model.ts";
import { PacedModel } from "../durable/paced-model.ts";
import { listen } from "../servers/listen.ts";

/** Resources that a server of sockets holds. */
export type HeldBySockets = {
  runs: number;
  sockets: number;
  connections: number;
  /** Listeners on the sockets and their connections. */
  listeners: number;
  /** Timers of the process that keep it alive. */
  timers: number;
  heapBytes: number;
};

/** A program that answers the sockets of a server, with the number of its runs that are under way. */
export type Serve = (io: Server, agents: { bench: Agent }) => { readonly size: number };

const { BENCH_VENDOR_URL, BENCH_EVERY_MS, BENCH_CHUNKS } = process.env;

/** The agent of the measurement: of a vendor if there is one, else of a model that costs nothing. */
function createAgent(): Agent {
  if (BENCH_VENDOR_URL !== undefined) {
    const model = openai("mock-1", { apiKey: "none", baseURL: `${BENCH_VENDOR_URL}/v1`, api: "chat" });
    return new Agent({ name: "bench", model });
  }
  const everyMs = Number(BENCH_EVERY_MS ?? 0);
  const model = everyMs > 0 ? new PacedModel(Number(BENCH_CHUNKS), everyMs) : new FixedModel();
  return new Agent({ name: "bench", model });
}

/** Listens as a server of sockets, and reports what it holds when it is asked. */
export function serveSockets(serve: Serve): void {
  const server = createServer();
  const io = new Server(server);
  const runs = serve(io, { bench: createAgent() });
  const tell = async (): Promise<void> => {
    const connections = await new Promise<number>((resolve) => {
      server.getConnections((_error, count) => resolve(count));
    });
    const held = { runs: runs.size, sockets: io.engine.clientsCount, connections };
    const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const heapBytes = await collectedHeap();
    process.send?.({ ...held, listeners: countListeners(io), timers, heapBytes } satisfies HeldBySockets);
  };
  process.on("message", () => void tell());
  listen(server, { backlog: 8192 });
}

function countListeners(io: Server): number {
  const sockets = [...io.of("/service").sockets.values()];
  return sockets
    .flatMap((socket) => [socket, socket.conn])
    .reduce(
      (sum, emitter) => sum + emitter.eventNames().reduce((each, name) => each + emitter.listenerCount(name), 0),
      0,
    );
}
