import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import type { Namespace, Server, Socket } from "socket.io";
import { expect, it } from "vitest";
import { AwayClients } from "./away-clients.ts";
import type { SocketClient } from "./socket-client.ts";

it("a client that comes back in time is never given up, whatever other nodes say of it later, and one that does not is, once [async.interleavings]", async () => {
  await checkInterleavings(loseClients, { seed: 38_203, numRuns: 200, stepMs: 600, quietMs: 5000 });
});

const awayMs = 1000;

/** A client whose connection breaks and comes back. */
class FakeClient {
  socket: { readonly id: string; readonly recovered?: boolean };
  state: "here" | "away" = "here";
  brokeAtMs = Infinity;
  leaves = 0;

  constructor(id: string) {
    this.socket = { id };
  }

  resume(socket: { readonly id: string }): void {
    this.socket = socket;
    this.state = "here";
  }

  leave(): void {
    this.leaves += 1;
  }
}

function loseClients(held: HeldCalls): Scene {
  let isElsewhere = false;
  const fetchSockets = async (): Promise<unknown[]> =>
    await held.hold("the other nodes", () => (isElsewhere ? [{}] : []));
  const namespace = { in: () => ({ fetchSockets }) } as unknown as Namespace;
  const io = { opts: { connectionStateRecovery: { maxDisconnectionDuration: awayMs } } } as unknown as Server;
  const away = new AwayClients(io, namespace);
  const clients = [new FakeClient("1"), new FakeClient("2")];
  const gone = new Set<FakeClient>();
  const next = (state: FakeClient["state"]): FakeClient | undefined =>
    clients.find((client) => client.state === state && !gone.has(client));
  const lose = (client: FakeClient): void => {
    gone.add(client);
    clients.push(new FakeClient(`${clients.length + 1}`));
  };
  return {
    operations: {
      "a connection breaks": () => {
        const client = next("here");
        if (client === undefined) return;
        Object.assign(client, { state: "away", brokeAtMs: performance.now() });
        held.check(away.keep(client as unknown as SocketClient, "transport close"), "a client is not kept");
      },
      "one comes back": () => {
        const client = next("away");
        if (client === undefined) return;
        const taken = away.take({ id: client.socket.id, recovered: true } as unknown as Socket);
        held.check(taken === (client as unknown), "a client is lost that was not given up");
      },
      "the runs of one end": () => {
        const client = next("away");
        if (client === undefined) return;
        away.forget(client as unknown as SocketClient);
        lose(client);
      },
      "one is at another node": () => (isElsewhere = !isElsewhere),
    },
    always: () => {
      for (const client of clients.slice()) {
        if (client.leaves === 0 || gone.has(client)) continue;
        expect(client.state, "a client that is given up").toBe("away");
        expect(performance.now() - client.brokeAtMs).toBeGreaterThanOrEqual(awayMs);
        lose(client);
      }
    },
    end: () => (isElsewhere = false),
    afterwards: () => {
      // Those that are left were away for long enough.
      const left = clients.filter((client) => client.state === "away" && !gone.has(client));
      expect(left.map(({ leaves }) => leaves)).toEqual(left.map(() => 1));
      expect(clients.filter(({ leaves }) => leaves > 1)).toEqual([]);
    },
  };
}
