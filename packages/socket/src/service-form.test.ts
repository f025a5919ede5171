import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, InMemoryStorage, Team, TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions, ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { Server } from "socket.io";
import type { ServerOptions } from "socket.io";
import { io as dial } from "socket.io-client";
import type { ManagerOptions, SocketOptions } from "socket.io-client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeNamespace, FakeSocket } from "../test/fake-sockets.ts";
import { teller } from "../test/stored.ts";
import { TestClient } from "../test/test-client.ts";
import { createAgentGateway } from "./create-agent-gateway.ts";
import type { GatewayOptions } from "./gateway-options.ts";

type Client = Partial<ManagerOptions & SocketOptions>;

/** Serves a gateway in one of its forms until the test is over. */
async function serve(
  make: (io: Server) => GatewayOptions,
  server: Partial<ServerOptions> = {},
): Promise<ReturnType<typeof createAgentGateway> & { join: (options?: Client) => TestClient }> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const io = new Server(listener, server);
  const gateway = createAgentGateway(make(io));
  onTestFinished(async () => {
    await gateway.service.close({ graceMs: 0 });
    await io.close();
  });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/service`;
  const join = (options: Client = {}): TestClient => {
    const socket = dial(url, { forceNew: true, reconnection: false, transports: ["websocket"], ...options });
    onTestFinished(() => void socket.disconnect());
    return new TestClient(socket);
  };
  return Object.assign(gateway, { join });
}

const silent = createLogger({ level: "silent" });
const run = { name: "a", input: "Hi", sessionId: "s1" };

/** Serves a gateway over a service of these options. */
async function serveOver(options: ServiceOptions, server: Partial<ServerOptions> = {}) {
  const service = createService({ logger: silent, ...options });
  return await serve((io) => ({ io, service }), server);
}

const authenticate = ({ native }: ServiceRequest) => {
  const { user } = (native as { handshake: { auth: { user?: string } } }).handshake.auth;
  if (user === "eve") throw new TroupeError("unauthorized", "Sign in first.");
  return user === undefined ? undefined : { userId: user };
};

describe("a gateway over a service", () => {
  it("sends what its short form sends, but for ids and times", async () => {
    const options = () => {
      const model = new ScriptedModel().respond(({ messages }) => {
        if (messages.at(-1)?.content === "fail") return { error: new Error("secret") };
        return `I heard ${messages.length}.`;
      });
      const agent = new Agent({ name: "a", model, storage: new InMemoryStorage() });
      const team = new Team({ name: "t", mode: "broadcast", model: new ScriptedModel("Yes."), members: [agent] });
      return { agents: { a: agent }, teams: { t: team }, authenticate, logger: silent };
    };
    const forms = [
      await serve((io) => ({ io, ...options() })),
      await serve((io) => ({ io, service: createService(options()) })),
    ];
    const records = await Promise.all(
      forms.map(async ({ join }) => {
        const client = join({ auth: { user: "ada" } });
        await client.connected();
        const answers = [];
        for (const [event, payload] of [
          ["agent.run", run],
          ["team.run", { name: "t", input: "Hi", sessionId: "s2" }],
          ["agent.run", { ...run, input: "fail" }],
          ["agent.run", { ...run, idempotencyKey: "k1" }],
        ] as const) {
          const answer = await client.ask(event, payload);
          await client.endOf(String(answer["runId"]));
          answers.push(answer);
        }
        answers.push(await client.ask("agent.run", { ...run, userId: "bob" }));
        answers.push(await client.ask("agent.attach", { runId: "none" }));
        answers.push(await client.ask("agent.run", { ...run, name: "b" }));
        return JSON.stringify([answers, client.received])
          .replaceAll(/"(runId|id|toolCallId)":"[^"]+"/g, '"$1":"-"')
          .replaceAll(/"(durationMs|timeToFirstTokenMs|createdAt)":[\d.]+/g, '"$1":0');
      }),
    );

    expect(records[1]).toBe(records[0]);
    expect(records[0]).toContain("I heard 3.");
    expect(records[0]).toContain("forbidden");
  });

  it("uses the runs, limits and policies of its service", async () => {
    const { agent, say } = teller(2);
    const { service, join } = await serveOver({
      agents: { a: agent },
      storage: new InMemoryStorage(),
      durable: true,
      authenticate,
    });
    const client = join({ auth: { user: "ada" } });
    const { runId } = await client.ask("agent.run", run);
    client.close();
    say(2);
    const again = join({ auth: { user: "ada" } });
    const attached = await again.ask("agent.attach", { runId });

    expect(attached).toMatchObject({ runId, name: "a", sessionId: "s1" });
    expect(await again.endOf(String(runId))).toMatchObject({ name: "agent.done" });
    expect((await service.runs?.get(String(runId), "host"))?.status).toBe("completed");
  });

  it("closes alone: its clients leave, and the service serves on", async () => {
    const { agent, calls } = teller(2);
    const gateway = await serveOver({ agents: { a: agent } });
    const { service, join } = gateway;
    const client = join();
    await client.ask("agent.run", run);
    await vi.waitFor(() => expect(calls.count).toBe(1));
    await gateway.close();

    await vi.waitFor(() => expect([client.socket.connected, service.servedRuns.size]).toEqual([false, 0]));
    expect(service.servedRuns.isDraining).toBe(false);
    const late = join();
    await new Promise<void>((resolve) => late.socket.io.on("close", () => resolve()));
    expect(late.socket.connected).toBe(false);
    expect(client.namesOf()).not.toContain("agent.done");
  });

  it("ends with its service: a run that is left is told of it, and its connection is closed", async () => {
    const { agent, calls } = teller(2);
    const { service, join } = await serveOver({ agents: { a: agent } });
    const [busy, idle] = [join(), join()];
    const { runId } = await busy.ask("agent.run", run);
    await idle.connected();
    await vi.waitFor(() => expect(calls.count).toBe(1));
    await service.close({ graceMs: 0 });

    expect(await busy.endOf(String(runId))).toMatchObject({ name: "agent.error", payload: { code: "unavailable" } });
    await vi.waitFor(() => expect([busy.socket.connected, idle.socket.connected]).toEqual([false, false]));
  });

  it("sends the end of a run to a client that is behind with reading, once the grace period is over", async () => {
    const { agent, say } = teller(1);
    const { io } = new FakeNamespace(async () => []);
    const logged: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => void logged.push(line) });
    const service = createService({ agents: { a: agent }, logger });
    createAgentGateway({ service, io });
    const socket = new FakeSocket("1", "ada");
    // As if a packet waited that the client does not read.
    socket.onSend = (name) => {
      if (name === "agent.chunk") socket.conn.emit("packetCreate", { data: "x".repeat(100_000) });
    };
    (io.of("/service") as unknown as FakeNamespace).emit("connection", socket);
    await socket.ask("agent.run", run);
    say(1);
    await vi.waitFor(() => expect(service.servedRuns.size).toBe(0));
    expect(socket.sent.map(({ name }) => name)).toEqual(["agent.chunk"]);
    await service.close({ graceMs: 20 });

    expect(socket.sent.map(({ name }) => name)).toEqual(["agent.chunk", "agent.done"]);
    // The run itself was over before.
    expect(logged).toEqual([]);
  });

  it("ends once the runs are over that its clients follow, though a request of one is still read", async () => {
    const { agent, say } = teller(1);
    const { io } = new FakeNamespace(async () => []);
    const [reading, read] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    let asked = 0;
    const runOptions = async () => {
      asked += 1;
      if (asked === 1) return undefined;
      reading.resolve();
      return await read.promise;
    };
    const service = createService({ agents: { a: agent }, runOptions, logger: silent });
    onTestFinished(() => read.resolve(undefined));
    createAgentGateway({ service, io });
    const socket = new FakeSocket("1", "ada");
    (io.of("/service") as unknown as FakeNamespace).emit("connection", socket);
    await socket.ask("agent.run", run);
    void socket.ask("agent.run", run);
    await reading.promise;
    let isClosed = false;
    void service.close({ graceMs: 600_000 }).then(() => (isClosed = true));
    say(1);

    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 15_000 });
  });

  it("holds no place for a request with a position that is none", async () => {
    const { agent, say } = teller(1);
    const { service, join } = await serveOver({ agents: { a: agent }, storage: new InMemoryStorage(), durable: true });
    const client = join();
    say(1);
    const { runId } = await client.ask("agent.run", run);
    await client.endOf(String(runId));
    expect(await client.ask("agent.attach", { runId, after: "odd" })).toMatchObject({ code: "invalid_request" });
    const startedAt = performance.now();
    await service.close({ graceMs: 20_000 });

    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});
