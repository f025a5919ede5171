import { Agent, InMemoryStorage, TroupeError } from "@troupe/core";
import type { ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import type { Socket } from "socket.io";
import { describe, expect, it, vi } from "vitest";
import { teller } from "../test/stored.ts";
import { serveUsers } from "../test/test-client.ts";
import type { TestClient } from "../test/test-client.ts";

const run = { name: "a", input: "Hi", sessionId: "s1" };
const userOf = ({ native }: ServiceRequest) => (native as Socket).handshake.auth["user"] as string | undefined;

/** The user by the handshake's `auth.user`; the user eve has wrong credentials. */
function authenticate(request: ServiceRequest) {
  const user = userOf(request);
  if (user === "eve") throw new TroupeError("unauthorized", "Sign in first.", { fields: { realm: "troupe" } });
  return user === undefined ? undefined : { userId: user };
}

function remembering(): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel().respond(() => "Hello.");
  return { model, agent: new Agent({ name: "a", model, storage: new InMemoryStorage() }) };
}

const back = { reconnection: true, reconnectionDelay: 20, reconnectionDelayMax: 20 };
const recovery = { connectionStateRecovery: { maxDisconnectionDuration: 60_000 } };

/** Cuts the connection below a client, which then comes back with other credentials. */
async function comeBackAs(client: TestClient, user: string): Promise<void> {
  client.socket.auth = { user };
  const returned = new Promise<void>((resolve) => void client.socket.once("connect", resolve));
  client.socket.io.engine.close();
  await returned;
}

describe("authenticate of the service", () => {
  it("is asked for the handshake, and its answer is the user of all runs of the socket [socket.principal]", async () => {
    const { agent, model } = remembering();
    const requests: object[] = [];
    const { join } = await serveUsers({
      agents: { a: agent },
      authMiddleware: undefined,
      authenticate: (request) => {
        const { protocol, method, path, headers, remoteAddress, principal } = request;
        requests.push({ protocol, method, path, remoteAddress, principal, token: headers.get("x-token") });
        return authenticate(request);
      },
    });
    const ada = await join({ auth: { user: "ada" }, extraHeaders: { "x-token": "t1" } });
    const nobody = await join();
    for (const client of [ada, nobody, ada]) await client.run(run);

    const asked = { protocol: "socket", method: "CONNECT", path: "/socket.io/", principal: undefined };
    const remoteAddress = expect.stringContaining("127.0.0.1") as string;
    expect(requests).toEqual([
      { ...asked, remoteAddress, token: "t1" },
      { ...asked, remoteAddress, token: null },
    ]);
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 3]);
  });

  it("refuses a connection with its error, and any other failure without the reason, which is logged", async () => {
    const { agent } = remembering();
    const { join, lines } = await serveUsers({
      agents: { a: agent },
      authMiddleware: undefined,
      authenticate: (request) => {
        if (userOf(request) === "mallory") throw new Error("secret");
        return userOf(request) === "odd" ? ({ userId: 7 } as never) : authenticate(request);
      },
    });

    await expect(join({ auth: { user: "eve" } })).rejects.toMatchObject({
      message: "Sign in first.",
      data: { code: "unauthorized", realm: "troupe" },
    });
    for (const user of ["mallory", "odd"]) {
      await expect(join({ auth: { user } })).rejects.toMatchObject({ data: { code: "internal" } });
    }
    expect(lines.join("\n")).toContain("authenticate failed.");
  });

  it("is asked after authMiddleware, whose user it gets and may replace", async () => {
    const { agent } = remembering();
    const order: unknown[] = [];
    const { join, io } = await serveUsers({
      agents: { a: agent },
      authMiddleware: (socket, next) => {
        order.push("authMiddleware");
        socket.data = { principal: { userId: "raw" }, more: 1 };
        next();
      },
      authenticate: ({ principal }) => {
        order.push(principal);
        return { userId: `${principal?.userId}-checked` };
      },
    });
    await join();
    const [socket] = io.of("/service").sockets.values();

    expect(order).toEqual(["authMiddleware", { userId: "raw" }]);
    expect(socket?.data).toEqual({ principal: { userId: "raw-checked" }, more: 1 });
  });
});

describe("a client that comes back after a short break", () => {
  it.each([true, false])(
    "is asked about again: another user's runs end (skipMiddlewares: %s) [socket.recovery]",
    async (skipMiddlewares) => {
      const { agent, say } = teller(6);
      const connectionStateRecovery = { maxDisconnectionDuration: 60_000, skipMiddlewares };
      const options = { agents: { a: agent }, authMiddleware: undefined, authenticate };
      const { join, gateway } = await serveUsers(options, { connectionStateRecovery });
      const client = await join({ auth: { user: "ada" }, ...back });
      const { runId } = await client.ask("agent.run", run);
      say(1);
      await client.until(() => client.textOf(runId) === "1 ");
      await comeBackAs(client, "bob");
      expect(client.socket.recovered).toBe(true);
      await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));

      expect(await client.ask("agent.attach", { runId })).toMatchObject({ code: "not_found" });
      expect(client.namesOf(runId)).toEqual(["agent.chunk"]);
    },
  );

  it("keeps the runs of the same user, and its requests wait for the answer [socket.recovery]", async () => {
    const { agent, say } = teller(3);
    const answers: PromiseWithResolvers<void>[] = [];
    let asked = 0;
    const { join } = await serveUsers(
      {
        agents: { a: agent },
        authMiddleware: undefined,
        authenticate: async (request) => {
          asked += 1;
          await answers[asked - 1]?.promise;
          return authenticate(request);
        },
      },
      recovery,
    );
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    answers[1] = Promise.withResolvers();
    await comeBackAs(client, "ada");
    await vi.waitFor(() => expect(asked).toBe(2));
    const early = client.ask("agent.cancel", { runId });
    say(1);
    await client.until(() => client.textOf(runId) === "1 2 ");
    expect(asked).toBe(2);
    answers[1].resolve();

    expect(await early).toEqual({ runId, status: "cancelled" });
    expect(client.socket.recovered).toBe(true);
  });

  it("begins nothing for a client that leaves before it is signed in again [socket.recovery]", async () => {
    const { agent, say, calls } = teller(3);
    const [asking, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    const { join, io } = await serveUsers(
      {
        agents: { a: agent },
        authMiddleware: undefined,
        authenticate: async (request) => {
          asked += 1;
          if (asked === 2) {
            asking.resolve();
            await answer.promise;
          }
          return authenticate(request);
        },
      },
      recovery,
    );
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    await comeBackAs(client, "ada");
    await asking.promise;
    const [socket] = io.of("/service").sockets.values();
    const gone = new Promise((resolve) => void socket?.once("disconnect", resolve));
    client.socket.emit("agent.run", { ...run, sessionId: "s2" });
    client.close();
    await gone;
    answer.resolve();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);

    expect(calls.count).toBe(1);
  });

  it("is disconnected, with the reason, if it is refused then, and its runs end [socket.recovery]", async () => {
    const { agent, say } = teller(6);
    const { join, gateway } = await serveUsers(
      { agents: { a: agent }, authMiddleware: undefined, authenticate },
      recovery,
    );
    const client = await join({ auth: { user: "ada" }, ...back });
    const { runId } = await client.ask("agent.run", run);
    say(1);
    await client.until(() => client.textOf(runId) === "1 ");
    await comeBackAs(client, "eve");

    expect(await client.until(({ name }) => name === "agent.error")).toMatchObject({
      payload: { code: "unauthorized", error: "Sign in first." },
    });
    await vi.waitFor(() => expect(client.socket.connected).toBe(false));
    expect(gateway.service.servedRuns.size).toBe(0);
  });
});
