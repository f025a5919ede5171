import type { ServerOptions } from "socket.io";
import type { Socket } from "socket.io-client";
import { vi } from "vitest";
import type { GatewayOptions } from "../src/gateway-options.ts";
import { ServedGateway } from "./serve-gateway.ts";
import type { ClientOptions, Transport } from "./serve-gateway.ts";

/** The transports of Socket.IO, for the tests that run over each. */
export const transports: readonly Transport[] = ["websocket", "polling"];

/** An event that a client has received. */
export type Received = { readonly name: string; readonly payload: Record<string, unknown> };

/** A client of the gateway: the real one of Socket.IO, which keeps what it receives. */
export class TestClient {
  readonly socket: Socket;
  readonly received: Received[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.onAny((name: string, payload: Record<string, unknown>) => this.received.push({ name, payload }));
  }

  /** Waits until the client is let in. */
  async connected(): Promise<void> {
    await vi.waitFor(() => {
      if (!this.socket.connected) throw new Error("The client is not connected yet.");
    }, 30_000);
  }

  /** Sends an event and waits for its acknowledgement. */
  async ask(event: string, ...sent: unknown[]): Promise<Record<string, unknown>> {
    return (await this.socket.emitWithAck(event, ...sent)) as Record<string, unknown>;
  }

  /** Begins a run and waits for its end. */
  async run(payload: object, event = "agent.run"): Promise<Received> {
    const ids = await this.ask(event, payload);
    if (typeof ids["runId"] !== "string" || "error" in ids) return { name: "refused", payload: ids };
    return await this.endOf(ids["runId"]);
  }

  /** Waits for the end of a run. */
  async endOf(runId: string): Promise<Received> {
    return await this.until(({ name, payload }) => isEnd(name) && payload["runId"] === runId);
  }

  /** Waits for an event. */
  async until(isWanted: (received: Received) => boolean, timeout = 30_000): Promise<Received> {
    return await vi.waitFor(
      () => {
        const found = this.received.find(isWanted);
        if (found === undefined) throw new Error(`Not received yet, of ${JSON.stringify(this.received)}.`);
        return found;
      },
      { timeout, interval: 5 },
    );
  }

  /** The names of the events of a run, or of all. */
  namesOf(runId?: unknown): string[] {
    return this.received
      .filter(({ payload }) => runId === undefined || payload["runId"] === runId)
      .map(({ name }) => name);
  }

  /** The text of a run that the client has received. */
  textOf(runId: unknown): string {
    return this.received
      .filter(({ name, payload }) => name === "agent.chunk" && payload["runId"] === runId)
      .map(({ payload }) => String(payload["chunk"]))
      .join("");
  }

  close(): void {
    this.socket.disconnect();
  }
}

function isEnd(name: string): boolean {
  return name === "agent.done" || name === "agent.error";
}

/** A gateway on a server of its own, and the function that connects clients to it, over WebSocket by default. */
export type ServedUsers = ServedGateway & { readonly join: (options?: ClientOptions) => Promise<TestClient> };

/** Serves a gateway until the test is over. Clients name their user in `auth.user` and `auth.tenant`, without a check. */
export async function serveUsers(
  options: Omit<GatewayOptions, "io">,
  server: Partial<ServerOptions> = {},
): Promise<ServedUsers> {
  const served = await ServedGateway.start({ authMiddleware: trustUser, ...options }, server);
  const join = async (client: ClientOptions = {}) =>
    new TestClient(await served.connect({ transports: ["websocket"], ...client }));
  return Object.assign(served, { join });
}

const trustUser: GatewayOptions["authMiddleware"] = (socket, next) => {
  const { user: userId, tenant } = socket.handshake.auth as { user?: unknown; tenant?: unknown };
  const principal = { userId, ...(tenant !== undefined && { tenantId: tenant }) };
  if (userId !== undefined) Object.assign(socket.data as object, { principal });
  next();
};
