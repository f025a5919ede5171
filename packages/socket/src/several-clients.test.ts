import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Server, Socket } from "socket.io";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeNamespace, FakeSocket } from "../test/fake-sockets.ts";
import { createAgentGateway } from "./create-agent-gateway.ts";
import { SendBudget } from "./send-budget.ts";
import { SocketClient } from "./socket-client.ts";

const logger = createLogger({ level: "silent" });

/** A gateway with clients, whose runs end when the test says so, and the ids of the clients that were disconnected. */
function openGateway() {
  const held = Promise.withResolvers<void>();
  const model = new ScriptedModel().respond(() => "Yes.");
  const beforeRun = async (): Promise<undefined> => {
    await held.promise;
    return undefined;
  };
  const namespace = new FakeNamespace(async () => await Promise.resolve([]));
  const agents = { a: new Agent({ name: "a", model, hooks: { beforeRun } }) };
  const gateway = createAgentGateway({ io: namespace.io as Server, agents, logger });
  const { service } = gateway;
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const closed: string[] = [];
  const enter = (id: string): FakeSocket => {
    const socket = new FakeSocket(id, "ada");
    socket.conn.on("close", () => closed.push(id));
    namespace.emit("connection", socket);
    return socket;
  };
  return { service, enter, closed, endRuns: () => held.resolve() };
}

const run = { name: "a", input: "Hi" };

describe("the clients of a gateway that drains", () => {
  it("are disconnected at once where they are idle, wherever they stand, and the others once their last run is over", async () => {
    const { service, enter, closed, endRuns } = openGateway();
    const sockets = ["idle 1", "busy 1", "idle 2", "busy 2", "idle 3"].map(enter);
    await Promise.all([1, 3].map(async (at) => await sockets[at]?.ask("agent.run", run)));
    const closing = service.close({ graceMs: 10_000 });
    await vi.waitFor(() => expect(closed).toEqual(["idle 1", "idle 2", "idle 3"]));
    endRuns();
    await closing;

    expect(new Set(closed)).toEqual(new Set(["idle 1", "idle 2", "idle 3", "busy 1", "busy 2"]));
  });

  it("each get a trace of its own for each of their runs", async () => {
    const { service, enter, endRuns } = openGateway();
    const traced = vi.spyOn(service, "telemetryFor");
    endRuns();
    const [one, other] = [enter("1"), enter("2")];
    for (const socket of [one, one, other]) await socket.ask("agent.run", run);

    expect(traced.mock.calls.map(([headers]) => headers)).toEqual([
      one.handshake.headers,
      one.handshake.headers,
      other.handshake.headers,
    ]);
  });
});

describe("the runs of one client", () => {
  function openClient() {
    const socket = new FakeSocket("s", "ada");
    const onFree = vi.fn<() => void>();
    const budget = new SendBudget(1000);
    const client = new SocketClient(socket as unknown as Socket, {
      maxRunsPerSocket: 5,
      maxBufferedBytes: 100,
      budget,
      logger,
      onFree,
    });
    onTestFinished(() => client.leave());
    const take = (userId: string, runId: string) => {
      socket.data.principal = { userId };
      return Object.assign(client.takePlace(), { runId });
    };
    return { client, take };
  }

  it("end with another user's return where they are not that user's, wherever they stand", () => {
    const { client, take } = openClient();
    const places = ["ada", "bob", "ada", "bob", "ada"].map((userId, at) => take(userId, String(at)));
    client.resume(new FakeSocket("s", "bob", true) as unknown as Socket);

    expect(places.map(({ hasLeft }) => hasLeft)).toEqual([true, false, true, false, true]);
  });

  it("are followed no more in each place of the run that is followed again", () => {
    const { client, take } = openClient();
    const places = ["x", "y", "x", "z", "x"].map((runId) => take("ada", runId));
    client.stopFollowing("x");

    expect(places.map(({ hasLeft }) => hasLeft)).toEqual([true, false, true, false, true]);
  });

  it("all end with the client", () => {
    const { client, take } = openClient();
    const places = ["x", "y", "z"].map((runId) => take("ada", runId));
    client.leave();

    expect(places.map(({ hasLeft }) => hasLeft)).toEqual([true, true, true]);
  });
});
