import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { serveUsers, transports } from "../test/test-client.ts";

/** Makes an agent whose model sends a word and then waits for its signal. */
function waiting(): { agent: Agent; signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const model = new ScriptedModel();
  model.stream = async function* stream(_messages, options) {
    const signal = options?.signal;
    if (signal === undefined) throw new Error("The model has no signal.");
    signals.push(signal);
    yield { type: "text", text: "Wait" };
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
  return { agent: new Agent({ name: "waiting", model }), signals };
}

describe.each(transports)("a socket that disconnects over %s", (transport) => {
  it.each(["its namespace", "its connection"])(
    "aborts its runs, and no other socket's: %s [socket.disconnect]",
    async (what) => {
      const { agent, signals } = waiting();
      const { join, gateway } = await serveUsers({ agents: { a: agent } });
      const [leaving, staying] = [await join({ transports: [transport] }), await join({ transports: [transport] })];
      await leaving.ask("agent.run", { name: "a", input: "Hi" });
      await leaving.ask("agent.run", { name: "a", input: "Hi" });
      await staying.ask("agent.run", { name: "a", input: "Hi" });
      await vi.waitFor(() => expect(signals).toHaveLength(3));
      if (what === "its namespace") leaving.socket.disconnect();
      else leaving.socket.io.engine.close();
      await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]), 2000);

      await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(1));
      expect(leaving.namesOf().filter((name) => name !== "agent.chunk")).toEqual([]);
    },
  );
});

describe("a socket that disconnects", () => {
  it("a socket that disconnects while its request is read begins no run [socket.disconnect]", async () => {
    const { agent, signals } = waiting();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let asked = 0;
    const { join, gateway, io } = await serveUsers({
      agents: { a: agent },
      runOptions: async () => {
        asked += 1;
        return await promise;
      },
    });
    const client = await join();
    client.socket.emit("agent.run", { name: "a", input: "Hi" });
    await vi.waitFor(() => expect(asked).toBe(1));
    client.close();
    await vi.waitFor(() => expect(io.of("/service").sockets.size).toBe(0));
    resolve(undefined);
    await new Promise((done) => void setImmediate(done));

    expect(signals).toEqual([]);
    expect(gateway.service.servedRuns.size).toBe(0);
  });

  it("leaves its run going where the host says so, for anybody who attaches [socket.disconnect-continue]", async () => {
    const model = new ScriptedModel();
    const { promise, resolve } = Promise.withResolvers<void>();
    model.stream = async function* stream() {
      yield { type: "text", text: "One " };
      await promise;
      yield { type: "text", text: "two" };
      yield { type: "finish", finishReason: "stop" };
    };
    const { join } = await serveUsers({ agents: { a: new Agent({ name: "a", model }) }, onDisconnect: "continue" });
    const client = await join();
    const { runId } = await client.ask("agent.run", { name: "a", input: "Hi" });
    await client.until(({ name }) => name === "agent.chunk");
    client.close();
    const other = await join();
    const attached = await other.ask("agent.attach", { runId });
    resolve();
    const end = await other.endOf(String(runId));

    expect(attached).toMatchObject({ runId, name: "a", status: "running" });
    expect(end).toMatchObject({ name: "agent.done", payload: { output: { text: "One two" } } });
    expect(other.textOf(runId)).toBe("One two");
  });
});

describe("the runs of one socket", () => {
  it("are limited in number, and a place is free again when a run is over [socket.run-limit]", async () => {
    const { agent, signals } = waiting();
    const { join } = await serveUsers({ agents: { a: agent }, maxRunsPerSocket: 2 });
    const [client, other] = [await join(), await join()];
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.ask("agent.run", { name: "a", input: "Hi" })),
    );
    const [first] = answers;
    const refused = answers.filter(({ error }) => error !== undefined);

    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({
      code: "rate_limited",
      maxRunsPerSocket: 2,
      error: expect.stringContaining("2 runs"),
    });
    expect(await other.ask("agent.run", { name: "a", input: "Hi" })).toMatchObject({ runId: expect.any(String) });
    await vi.waitFor(() => expect(signals).toHaveLength(3));
    await client.ask("agent.cancel", { runId: first?.["runId"] });
    await client.endOf(String(first?.["runId"]));
    expect(await client.ask("agent.run", { name: "a", input: "Hi" })).toMatchObject({ runId: expect.any(String) });
  });

  it("are 8 at most by default, and refused requests take no place [socket.run-limit]", async () => {
    const { agent } = waiting();
    const { join } = await serveUsers({ agents: { a: agent } });
    const client = await join();
    for (let asked = 0; asked < 20; asked++) await client.ask("agent.run", { name: "b", input: "Hi" });
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => client.ask("agent.run", { name: "a", input: "Hi" })),
    );

    expect(answers.filter(({ runId }) => runId !== undefined)).toHaveLength(8);
    expect(answers.filter(({ code }) => code === "rate_limited")).toHaveLength(1);
  });
});

describe("agent.cancel", () => {
  it("ends a run of the caller's as cancelled, and no run of another user [socket.cancel]", async () => {
    const { agent, signals } = waiting();
    const { join } = await serveUsers({ agents: { a: agent } });
    const [ada, bob] = [await join({ auth: { user: "ada" } }), await join({ auth: { user: "bob" } })];
    const { runId } = await ada.ask("agent.run", { name: "a", input: "Hi" });
    await vi.waitFor(() => expect(signals).toHaveLength(1));

    expect(await bob.ask("agent.cancel", { runId })).toMatchObject({ code: "not_found" });
    expect(signals[0]?.aborted).toBe(false);
    expect(await ada.ask("agent.cancel", { runId })).toEqual({ runId, status: "cancelled" });
    expect(await ada.endOf(String(runId))).toMatchObject({
      name: "agent.error",
      payload: { code: "cancelled", runId },
    });
    expect(await ada.ask("agent.cancel", { runId })).toMatchObject({ code: "not_found" });
  });
});

describe("a shutdown", () => {
  it("refuses new runs, lets those under way end, and closes each connection when its last run is over [socket.drain]", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const model = new ScriptedModel();
    model.stream = async function* stream() {
      yield { type: "text", text: "One " };
      await promise;
      yield { type: "text", text: "two" };
      yield { type: "finish", finishReason: "stop" };
    };
    const { join, gateway } = await serveUsers({ agents: { a: new Agent({ name: "a", model }) } });
    const [busy, idle] = [await join(), await join()];
    const { runId } = await busy.ask("agent.run", { name: "a", input: "Hi" });
    await busy.until(({ name }) => name === "agent.chunk");
    const drained = gateway.service.close();
    await vi.waitFor(() => expect(idle.socket.connected).toBe(false));
    const refused = await busy.ask("agent.run", { name: "a", input: "Hi" });
    resolve();
    await drained;

    expect(refused).toMatchObject({ code: "unavailable" });
    expect(await busy.endOf(String(runId))).toMatchObject({ name: "agent.done" });
    await vi.waitFor(() => expect(busy.socket.connected).toBe(false));
    expect(gateway.service.servedRuns.size).toBe(0);
  });

  it("ends the runs that are left, and tells their clients [socket.drain]", async () => {
    const { agent, signals } = waiting();
    const { join, gateway } = await serveUsers({ agents: { a: agent } });
    const client = await join();
    const { runId } = await client.ask("agent.run", { name: "a", input: "Hi" });
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    await gateway.service.close({ graceMs: 0 });

    expect(await client.endOf(String(runId))).toMatchObject({ name: "agent.error", payload: { code: "unavailable" } });
  });
});
