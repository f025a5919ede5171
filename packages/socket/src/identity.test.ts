import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Socket } from "socket.io";
import { describe, expect, it } from "vitest";
import { durable, teller } from "../test/stored.ts";
import { serveUsers } from "../test/test-client.ts";

function remembering(): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel().respond(() => "Hello.");
  const storage = new InMemoryStorage();
  return { model, agent: new Agent({ name: "a", model, storage, sessionId: "configured", userId: "configured" }) };
}

describe("the user of a run", () => {
  it("is the principal of the socket, whose sessions are no other user's [socket.principal]", async () => {
    const { agent, model } = remembering();
    const { join } = await serveUsers({ agents: { a: agent } });
    const [ada, bob, nobody] = [
      await join({ auth: { user: "ada" } }),
      await join({ auth: { user: "bob" } }),
      await join(),
    ];
    for (const client of [ada, bob, nobody, ada]) await client.run({ name: "a", input: "Hi", sessionId: "s" });
    await nobody.run({ name: "a", input: "Hi", sessionId: "s", userId: "ada" });

    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 3, 1]);
    expect(await ada.run({ name: "a", input: "Hi", sessionId: "s", userId: "ada" })).toMatchObject({
      name: "agent.done",
    });
    expect(await ada.ask("agent.run", { name: "a", input: "Hi", userId: "bob" })).toMatchObject({ code: "forbidden" });
  });

  it("is that of the payload where the host trusts it [socket.principal]", async () => {
    const { agent, model } = remembering();
    const { join } = await serveUsers({ agents: { a: agent }, bodyUserId: "trusted" });
    const signedIn = await join({ auth: { user: "ada" } });
    const service = await join();
    await signedIn.run({ name: "a", input: "Hi", sessionId: "s" });
    await service.run({ name: "a", input: "Hi", sessionId: "s", userId: "ada" });

    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 3]);
  });

  it("is read at each event [socket.principal]", async () => {
    const { agent, model } = remembering();
    const { join, io } = await serveUsers({ agents: { a: agent } });
    const client = await join({ auth: { user: "ada" } });
    await client.run({ name: "a", input: "Hi", sessionId: "s" });
    for (const socket of io.of("/service").sockets.values()) socket.data = { principal: { userId: "bob" } };
    await client.run({ name: "a", input: "Hi", sessionId: "s" });

    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1]);
  });

  it.each([null, 7, "ada", {}, { userId: "" }, { userId: 7 }, { userId: "ada", tenantId: 7 }])(
    "is a fault of the service when the host set it wrongly: %j [socket.principal]",
    async (user) => {
      const { agent, model } = remembering();
      const { join, lines } = await serveUsers({
        agents: { a: agent },
        authMiddleware: (socket, next) => {
          socket.data = { principal: user };
          next();
        },
      });
      const client = await join();

      for (const event of ["agent.run", "agent.cancel", "agent.attach", "agent.answer"]) {
        const fields = event === "agent.run" ? { name: "a", input: "Hi" } : { runId: "r" };
        const more = event === "agent.answer" ? { waitId: "w", answer: {} } : {};
        expect(await client.ask(event, { ...fields, ...more })).toMatchObject({
          code: "internal",
          error: "Something went wrong in this service.",
        });
      }
      expect(model.calls).toEqual([]);
      expect(lines.join("\n")).toContain("socket.data.principal must be");
    },
  );
});

describe("the user of a stored run", () => {
  const kinds: [what: string, isDurable: boolean, fields: object][] = [
    ["a durable run", true, {}],
    ["a durable run with an idempotencyKey", true, { idempotencyKey: "k1" }],
    ["a run in memory with an idempotencyKey", false, { idempotencyKey: "k1" }],
  ];

  /** Serves an agent that says "1 2 ", without or with a durable service. */
  async function serveTeller(isDurable: boolean, options: Partial<Parameters<typeof serveUsers>[0]> = {}) {
    const { agent, say } = teller(2);
    const runs = isDurable ? { runs: await durable({ agents: { a: agent } }) } : {};
    const { join } = await serveUsers({ agents: { a: agent }, ...runs, ...options });
    return { join, say };
  }

  it.each(kinds)(
    "may be claimed in the payload of a socket without a principal, which follows it to its end: %s [socket.principal]",
    async (_what, isDurable, fields) => {
      const { join, say } = await serveTeller(isDurable);
      const [client, other] = [await join(), await join()];
      say(2);
      const ids = await client.ask("agent.run", { name: "a", input: "Hi", userId: "ada", ...fields });
      const end = await client.endOf(String(ids["runId"]));
      const attached = await other.ask("agent.attach", { runId: ids["runId"] });

      expect(end).toMatchObject({ name: "agent.done", payload: { ...ids, output: { text: "1 2 " } } });
      expect(attached).toMatchObject({ ...ids, status: "completed" });
    },
  );

  it.each(kinds)(
    "remains that of its request if the host sets another while the request is read: %s [socket.principal]",
    async (_what, isDurable, fields) => {
      const { join, say } = await serveTeller(isDurable, {
        runOptions: async ({ native }) => {
          (native as Socket).data = { principal: { userId: "bob" } };
          return {};
        },
      });
      const [client, ada] = [await join({ auth: { user: "ada" } }), await join({ auth: { user: "ada" } })];
      say(2);
      const { runId } = await client.ask("agent.run", { name: "a", input: "Hi", ...fields });

      expect(await client.endOf(String(runId))).toMatchObject({ name: "agent.done", payload: { runId } });
      expect(await client.ask("agent.attach", { runId })).toMatchObject({ code: "not_found" });
      expect(await ada.ask("agent.attach", { runId })).toMatchObject({ runId, status: "completed" });
    },
  );
});

describe("the session of a run", () => {
  it("is a new one where the payload names none, and never that of the agent [socket.new-session]", async () => {
    const { agent, model } = remembering();
    const { join } = await serveUsers({ agents: { a: agent } });
    const client = await join();
    const first = await client.run({ name: "a", input: "Hi" });
    const second = await client.run({ name: "a", input: "Hi" });
    await client.run({ name: "a", input: "Hi", sessionId: first.payload["sessionId"] });

    expect(first.payload["sessionId"]).not.toBe(second.payload["sessionId"]);
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 3]);
  });
});
