import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { durable, payer, teller } from "../test/stored.ts";
import { serveUsers, transports } from "../test/test-client.ts";
import type { Received } from "../test/test-client.ts";

const run = { name: "a", input: "Hi" };

const positions = (received: readonly Received[]) => received.map(({ payload }) => payload["id"]);

describe.each(transports)("a durable run over %s", (transport) => {
  it("goes on when its socket disconnects, and another socket attaches behind the last event without a gap [socket.attach]", async () => {
    const { agent, say, calls } = teller(6);
    const { join } = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const first = await join({ transports: [transport], auth: { user: "ada" } });
    const { runId, sessionId } = await first.ask("agent.run", run);
    say(3);
    await first.until(() => first.textOf(runId) === "1 2 3 ");
    first.close();
    say(3);
    const second = await join({ transports: [transport], auth: { user: "ada" } });
    const attached = await second.ask("agent.attach", { runId, after: positions(first.received).at(-1) });
    const end = await second.endOf(String(runId));

    expect(attached).toMatchObject({ runId, sessionId, name: "a" });
    expect(first.textOf(runId) + second.textOf(runId)).toBe("1 2 3 4 5 6 ");
    expect(end).toMatchObject({
      name: "agent.done",
      payload: { name: "a", sessionId, output: { text: "1 2 3 4 5 6 " } },
    });
    for (const id of positions([...first.received, ...second.received])) expect(id).toMatch(/^\d+\.\d+$/);
    expect(calls.count).toBe(1);
  });

  it("waits for an answer, which its user gives and no other [socket.wait] [socket.answer]", async () => {
    const { agent, paid } = payer();
    const { join } = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const ada = await join({ transports: [transport], auth: { user: "ada" } });
    const bob = await join({ transports: [transport], auth: { user: "bob" } });
    const { runId } = await ada.ask("agent.run", run);
    const { payload } = await ada.until(({ name }) => name === "agent.wait");
    const { waitId } = payload;
    const answer = { runId, waitId, answer: { approved: true } };

    expect(payload).toMatchObject({ runId, kind: "approval", about: { toolName: "pay", args: { amount: 20 } } });
    expect(await bob.ask("agent.answer", answer)).toMatchObject({ code: "not_found" });
    expect(await ada.ask("agent.answer", { runId, waitId: "other", answer: {} })).toMatchObject({
      code: expect.any(String),
    });
    expect(paid).toEqual([]);
    expect(await ada.ask("agent.answer", answer)).toEqual({ runId, waitId });
    expect(await ada.endOf(String(runId))).toMatchObject({
      name: "agent.done",
      payload: { output: { text: "It is done." } },
    });
    expect(paid).toEqual([{ amount: 20 }]);
    expect(await ada.ask("agent.answer", { ...answer, answer: { approved: false } })).toMatchObject({
      code: "conflict",
    });
  });
});

describe("agent.attach", () => {
  it("sends the events of a run from its beginning, also when it is over [socket.attach]", async () => {
    const { agent, say } = teller(3);
    const { join } = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const [ada, again] = [await join({ auth: { user: "ada" } }), await join({ auth: { user: "ada" } })];
    say(3);
    const { runId } = await ada.ask("agent.run", run);
    await ada.endOf(String(runId));
    const attached = await again.ask("agent.attach", { runId, after: null });
    await again.endOf(String(runId));

    expect(attached).toMatchObject({ runId, status: "completed" });
    expect(again.received).toEqual(ada.received);
  });

  it("finds no run that is unknown, plain, or another user's [socket.attach]", async () => {
    const { agent, say } = teller(1);
    const plain = teller(1);
    const { join } = await serveUsers({
      agents: { a: agent, plain: plain.agent },
      runs: await durable({ agents: { a: agent } }),
    });
    const [ada, bob, nobody] = [
      await join({ auth: { user: "ada" } }),
      await join({ auth: { user: "bob" } }),
      await join(),
    ];
    const durableRun = await ada.ask("agent.run", run);
    const passing = await ada.ask("agent.run", { ...run, name: "plain" });

    for (const client of [bob, nobody]) {
      for (const event of ["agent.attach", "agent.cancel"]) {
        expect(await client.ask(event, { runId: durableRun["runId"] })).toMatchObject({ code: "not_found" });
      }
    }
    expect(await ada.ask("agent.attach", { runId: passing["runId"] })).toMatchObject({ code: "not_found" });
    expect(await ada.ask("agent.attach", { runId: "x".repeat(250) })).toMatchObject({ code: "not_found" });
    expect(bob.received).toEqual([]);
    say(1);
    plain.say(1);
    await ada.endOf(String(durableRun["runId"]));
  });

  it("refuses a position that is none [socket.attach]", async () => {
    const { agent, say } = teller(1);
    const { join } = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const client = await join({ auth: { user: "ada" } });
    say(1);
    const { runId } = await client.ask("agent.run", run);
    await client.endOf(String(runId));

    for (const after of ["nonsense", "1.1.1", "-1.0"]) {
      expect(await client.ask("agent.attach", { runId, after })).toMatchObject({ code: "invalid_request" });
    }
    expect(await client.ask("agent.attach", { runId, after: 7 })).toMatchObject({ code: "invalid_request" });
  });

  it("sends the events of a run once to a socket that follows it already [socket.attach-once]", async () => {
    const { agent, say } = teller(4);
    const { join } = await serveUsers({
      agents: { a: agent },
      runs: await durable({ agents: { a: agent } }),
      maxRunsPerSocket: 2,
    });
    const client = await join({ auth: { user: "ada" } });
    const { runId } = await client.ask("agent.run", run);
    say(2);
    await client.until(() => client.textOf(runId) === "1 2 ");
    await client.ask("agent.attach", { runId, after: positions(client.received).at(-1) });
    await client.ask("agent.attach", { runId, after: positions(client.received).at(-1) });
    say(2);
    await client.endOf(String(runId));

    expect(client.textOf(runId)).toBe("1 2 3 4 ");
    expect(client.namesOf(runId).filter((name) => name === "agent.done")).toHaveLength(1);
  });

  it("refuses the run of a workflow, which has other events [socket.attach]", async () => {
    const workflow = new Workflow({ name: "w", initialState: { n: 1 }, steps: [{ name: "s", run: () => ({ n: 2 }) }] });
    const { agent } = payer();
    const runs = await durable({ agents: { a: agent }, workflows: { w: workflow } });
    const { join } = await serveUsers({ agents: { a: agent }, runs });
    const { runId } = await runs.accept({ kind: "workflow", name: "w", owner: { userId: "ada" } });
    const client = await join({ auth: { user: "ada" } });

    expect(await client.ask("agent.attach", { runId })).toMatchObject({ code: "invalid_request" });
  });
});

describe("agent.answer", () => {
  it("may come from another user where the host allows it by mayAnswer [socket.answer]", async () => {
    const { agent, paid } = payer();
    const asked: object[] = [];
    const { join } = await serveUsers({
      agents: { a: agent },
      runs: await durable({ agents: { a: agent } }),
      mayAnswer: ({ principal }, wait) => {
        asked.push(wait);
        return principal?.userId === "boss";
      },
    });
    const [ada, bob, boss] = await Promise.all(["ada", "bob", "boss"].map((user) => join({ auth: { user } })));
    const { runId } = (await ada?.ask("agent.run", run)) ?? {};
    const { payload } = (await ada?.until(({ name }) => name === "agent.wait")) ?? {};
    const answer = { runId, waitId: payload?.["waitId"], answer: { approved: true } };

    expect(await bob?.ask("agent.answer", answer)).toMatchObject({ code: "not_found" });
    expect(await boss?.ask("agent.answer", answer)).toMatchObject({ runId });
    await ada?.endOf(String(runId));
    expect(paid).toEqual([{ amount: 20 }]);
    expect(asked[0]).toMatchObject({ runId, name: "a", kind: "approval" });
  });
});

describe("a run with an idempotencyKey", () => {
  it("is the same run when it is requested again, and outlives its socket [socket.idempotency]", async () => {
    const { agent, say, calls } = teller(4);
    const { join } = await serveUsers({ agents: { a: agent } });
    const [first, second] = [await join({ auth: { user: "ada" } }), await join({ auth: { user: "ada" } })];
    const asked = { ...run, idempotencyKey: "k1" };
    const begun = await first.ask("agent.run", asked);
    say(2);
    await first.until(() => first.textOf(begun["runId"]) === "1 2 ");
    first.close();
    const found = await second.ask("agent.run", asked);
    say(2);
    await second.endOf(String(found["runId"]));

    expect(found).toEqual(begun);
    expect(second.textOf(begun["runId"])).toBe("1 2 3 4 ");
    expect(calls.count).toBe(1);
    expect(await second.ask("agent.run", { ...asked, input: "Other" })).toMatchObject({ code: "idempotency_mismatch" });
    const other = await (await join({ auth: { user: "bob" } })).ask("agent.run", asked);
    expect(other["runId"]).not.toBe(begun["runId"]);
  });

  it("is cancelled by its user, and is over for all who follow it [socket.cancel]", async () => {
    const { agent, calls } = teller(4);
    const { join } = await serveUsers({ agents: { a: agent } });
    const client = await join({ auth: { user: "ada" } });
    const { runId } = await client.ask("agent.run", { ...run, idempotencyKey: "k1" });
    await vi.waitFor(() => expect(calls.count).toBe(1));

    expect(await client.ask("agent.cancel", { runId })).toMatchObject({ runId });
    expect(await client.endOf(String(runId))).toMatchObject({ name: "agent.error", payload: { code: "cancelled" } });
  });
});

describe("a stored run that fails", () => {
  it("ends with agent.error, with its id and what the vendor said left out [socket.error]", async () => {
    const model = new ScriptedModel().respond(() => {
      throw new Error("secret of the vendor");
    });
    const agent = new Agent({ name: "a", model });
    const { join } = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const client = await join({ auth: { user: "ada" } });
    const { name, payload } = await client.run(run);

    expect(name).toBe("agent.error");
    expect(payload).toMatchObject({ error: expect.any(String), code: "internal", id: expect.any(String) });
    expect(JSON.stringify(client.received)).not.toContain("secret");
  });
});
