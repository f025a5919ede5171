import { describe, expect, it, vi } from "vitest";
import { durable, teller } from "../test/stored.ts";
import { serveUsers, transports } from "../test/test-client.ts";
import type { TestClient } from "../test/test-client.ts";

const run = { name: "a", input: "Hi" };

/** Cuts the connection below a client, which connects again by itself. */
function cut(client: TestClient): void {
  client.socket.io.engine.close();
}

const back = { reconnection: true, reconnectionDelay: 20, reconnectionDelayMax: 20 };
const recovery = { connectionStateRecovery: { maxDisconnectionDuration: 60_000 } };

describe.each(transports)("a short break of a connection over %s, with connectionStateRecovery", (transport) => {
  it("loses no event of a run, which goes on [socket.recovery]", async () => {
    const { agent, say } = teller(6);
    const { join, gateway, io } = await serveUsers({ agents: { a: agent } }, recovery);
    const client = await join({ transports: [transport], auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(2);
    await client.until(() => client.textOf(runId) === "1 2 ");
    const [socket] = io.of("/service").sockets.values();
    const saidAway = new Promise<void>((resolve) => void socket?.once("disconnect", () => resolve(say(2))));
    cut(client);
    await saidAway;
    await vi.waitFor(() => expect(client.socket.connected && client.socket.recovered).toBe(true));
    say(2);
    await client.endOf(String(runId));

    expect(client.textOf(runId)).toBe("1 2 3 4 5 6 ");
    expect(gateway.service.servedRuns.size).toBe(0);
  });
});

describe("a client that came back after a short break", () => {
  it("disconnects for good like any other: its runs end then [socket.recovery]", async () => {
    const { agent, say, calls } = teller(6);
    const { join, gateway } = await serveUsers({ agents: { a: agent } }, recovery);
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    cut(client);
    await vi.waitFor(() => expect(client.socket.recovered && client.socket.connected).toBe(true));
    expect(gateway.service.servedRuns.size).toBe(1);
    expect(calls.count).toBe(1);
    client.close();

    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
  });

  it("still has its runs counted against the limit [socket.recovery]", async () => {
    const { agent, calls } = teller(6);
    const { join } = await serveUsers({ agents: { a: agent }, maxRunsPerSocket: 1 }, recovery);
    const client = await join({ auth: { user: "ada" }, ...back });
    await client.ask("agent.run", run);
    await vi.waitFor(() => expect(calls.count).toBe(1));
    // The position of an event, without which Socket.IO recovers nothing.
    await client.ask("agent.run", run);
    cut(client);
    await vi.waitFor(() => expect(client.socket.recovered && client.socket.connected).toBe(true));

    expect(await client.ask("agent.run", run)).toMatchObject({ code: "rate_limited" });
  });

  it("loses its runs if another user is signed in then [socket.recovery]", async () => {
    const { agent, say } = teller(6);
    const { join, gateway } = await serveUsers(
      { agents: { a: agent } },
      { connectionStateRecovery: { maxDisconnectionDuration: 60_000, skipMiddlewares: false } },
    );
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    client.socket.auth = { user: "bob" };
    cut(client);

    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
    await vi.waitFor(() => expect(client.socket.connected).toBe(true));
    expect(client.textOf(runId)).toBe("1 ");
  });

  it("goes on with a durable run where it left off [socket.recovery]", async () => {
    const { agent, say } = teller(4);
    const runs = await durable({ agents: { a: agent } });
    const { join } = await serveUsers({ agents: { a: agent }, runs }, recovery);
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(2);
    await client.until(() => client.textOf(runId) === "1 2 ");
    cut(client);
    say(2);
    await client.endOf(String(runId));

    expect(client.textOf(runId)).toBe("1 2 3 4 ");
  });
});

describe("a client whose request is still read when another user comes back on its connection", () => {
  it("begins no run for that user to see [socket.recovery]", async () => {
    const { agent, say } = teller(6);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let asked = 0;
    const { join, gateway } = await serveUsers(
      {
        agents: { a: agent },
        runOptions: async () => {
          asked += 1;
          return asked === 1 ? undefined : await promise;
        },
      },
      { connectionStateRecovery: { maxDisconnectionDuration: 60_000, skipMiddlewares: false } },
    );
    const client = await join({ auth: { user: "ada" }, ...back });
    const first = await client.ask("agent.run", run);
    say(1);
    await vi.waitFor(() => expect(client.received).toHaveLength(1));
    client.socket.emit("agent.run", run);
    await vi.waitFor(() => expect(asked).toBe(2));
    client.socket.auth = { user: "bob" };
    cut(client);
    await vi.waitFor(() => expect(client.socket.connected && client.socket.recovered).toBe(true));
    resolve(undefined);
    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
    say(5);

    const own = await client.run({ ...run, idempotencyKey: "k" });
    expect(own).toMatchObject({ name: "agent.done" });
    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
    expect(new Set(client.received.map(({ payload }) => payload["runId"]))).toEqual(
      new Set([first["runId"], own.payload["runId"]]),
    );
    expect(client.textOf(first["runId"])).toBe("1 ");
    expect(client.namesOf(first["runId"])).toEqual(["agent.chunk"]);
  });
});

describe("a client that was dropped as it does not read", () => {
  it("comes back as a new one: its runs have ended without a word [socket.recovery]", async () => {
    const { agent, say } = teller(6);
    const { join, gateway, io } = await serveUsers({ agents: { a: agent }, maxBufferedBytes: 1000 }, recovery);
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    const [socket] = io.of("/service").sockets.values();
    // As if two packets waited that the client does not read.
    for (let packet = 0; packet < 2; packet++) socket?.conn.emit("packetCreate", { data: "x".repeat(2000) });
    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
    await vi.waitFor(() => expect(client.socket.connected).toBe(false));
    client.socket.connect();
    await client.connected();

    expect(client.socket.recovered).toBe(false);
  });
});

describe("a client that does not come back", () => {
  it("is gone when the time for that is over: its runs end [socket.recovery]", async () => {
    const { agent, say } = teller(6);
    const { join, gateway, io } = await serveUsers(
      { agents: { a: agent } },
      { connectionStateRecovery: { maxDisconnectionDuration: 300 } },
    );
    const client = await join({ auth: { user: "ada" } });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    cut(client);
    await vi.waitFor(() => expect(io.of("/service").sockets.size).toBe(0));
    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
  });

  it("is gone at once after a disconnect on purpose, and when the gateway closes [socket.recovery]", async () => {
    const { agent, calls } = teller(6);
    const { join, gateway, io } = await serveUsers({ agents: { a: agent } }, recovery);
    const [leaving, breaking] = [await join(), await join()];
    await leaving.ask("agent.run", run);
    await breaking.ask("agent.run", run);
    await vi.waitFor(() => expect(calls.count).toBe(2));
    leaving.close();
    await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(1));
    cut(breaking);
    await vi.waitFor(() => expect(io.of("/service").sockets.size).toBe(0));
    expect(gateway.service.servedRuns.size).toBe(1);
    await gateway.close();

    expect(gateway.service.servedRuns.size).toBe(0);
  });
});
