import { setTimeout as sleep } from "node:timers/promises";
import { Agent, createLogger, defineTool, Team, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Socket } from "socket.io";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeSocket } from "../test/fake-sockets.ts";
import { answerRequest, clientEvents } from "./answer-requests.ts";
import { readGatewayOptions } from "./gateway-options.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { SendBudget } from "./send-budget.ts";
import { SocketClient } from "./socket-client.ts";

afterEach(() => void vi.useRealTimers());

type Event = (typeof clientEvents)[number];
type Fields = Record<string, unknown>;

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  needsApproval: true,
  execute: () => "Paid.",
});

/** The failures of the model, by what it is asked. */
const failures = new Map<unknown, Error>([
  ["fail", new Error("secret of the vendor")],
  ["moved", new TroupeError("interrupted", "It goes on elsewhere.")],
]);

/** An agent that says hello, pays after an approval, fails, or says nothing until its run is cancelled. */
function createAgent(): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return "Done.";
    if (last?.content === "pay") return { toolCalls: [{ id: "c1", name: "pay" }] };
    const error = failures.get(last?.content);
    if (error !== undefined) return { error };
    return last?.content === "hang" ? { hang: true } : "Hello.";
  });
  return new Agent({ name: "helper", model, tools: [pay] });
}

/** A gateway without a network, and the functions that sign clients in and end it. */
function serve(options: Partial<GatewayOptions> = {}) {
  const agent = createAgent();
  const team = new Team({ name: "desk", mode: "broadcast", model: new ScriptedModel("Hi."), members: [agent] });
  const io = { of: () => undefined } as unknown as GatewayOptions["io"];
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  const { service, maxRunsPerSocket } = readGatewayOptions({
    io,
    agents: { helper: agent },
    teams: { desk: team },
    logger,
    maxRunsPerSocket: 1,
    ...options,
  });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const join = (principal?: object) => {
    const socket = Object.assign(new FakeSocket("1", ""), { data: { principal } });
    const settingsOfClient = { maxRunsPerSocket, maxBufferedBytes: 1000, budget: new SendBudget(10_000), logger };
    const client = new SocketClient(socket as unknown as Socket, { ...settingsOfClient, onFree: () => {} });
    onTestFinished(() => client.leave());
    /** Asks, and returns the acknowledgement with a promise for the end of what follows. */
    const ask = async (event: Event, payload: unknown) => {
      let over: Promise<void> = Promise.resolve();
      const answer = await new Promise<Fields>((resolve) => {
        over = answerRequest(client, { event, sent: [payload, resolve], service });
      });
      return { answer, over };
    };
    const tell = async (event: Event, ...sent: unknown[]) => await answerRequest(client, { event, sent, service });
    return { client, ask, tell, sent: () => socket.sent.splice(0) };
  };
  return { join, lines };
}

/** Waits as long as other tests do, and looks more often. */
const soon = { interval: 2, timeout: 30_000 };

const names = (events: readonly { name: string }[]) => events.map(({ name }) => name);
const stored = { name: "helper", input: "Hi", idempotencyKey: "k1" };

it("the events that are taken are those of clients", () => {
  expect(clientEvents).toEqual(["agent.run", "team.run", "agent.cancel", "agent.attach", "agent.answer"]);
});

describe("a run", () => {
  it.each<[Event, string, object]>([
    ["agent.run", "helper", {}],
    ["team.run", "desk", {}],
    ["agent.run", "helper", { idempotencyKey: "k1" }],
    ["team.run", "desk", { idempotencyKey: "k1" }],
  ])(
    "by %s of %s is acknowledged before its first event, and frees its place with its last (%j)",
    async (...[event, name, more]) => {
      const { client, ask, sent } = serve().join();
      const { answer, over } = await ask(event, { name, input: "Hi", sessionId: "s1", ...more });
      expect([answer, sent(), client.isIdle]).toEqual([{ runId: expect.any(String), sessionId: "s1" }, [], false]);
      await over;
      const events = sent();
      expect(names(events).filter((each) => each === "agent.done" || each === "agent.error")).toEqual(["agent.done"]);
      expect([names(events).at(-1), client.isIdle]).toEqual(["agent.done", true]);
      expect(events.map(({ payload }) => payload)).toEqual(
        events.map(() => expect.objectContaining({ runId: answer["runId"], name, sessionId: "s1" }) as unknown),
      );
    },
  );

  it("a run that fails is told once, with its ids, and logged without the keys of its client", async () => {
    const { join, lines } = serve();
    const { client, ask, sent } = join();
    const { answer, over } = await ask("agent.run", { name: "helper", input: "fail", apiKey: "sk-canary-1" });
    await over;
    const { runId, sessionId } = answer;
    expect(sent()).toEqual([
      {
        name: "agent.error",
        payload: expect.objectContaining({
          runId,
          sessionId,
          name: "helper",
          code: expect.any(String) as string,
        }) as unknown,
      },
    ]);
    expect(client.isIdle).toBe(true);
    expect(lines.join("\n")).toContain(String(runId));
    expect(lines.join("\n")).not.toContain("sk-canary-1");
  });

  it("a run that goes on elsewhere is told to its client, and is no failure in the log", async () => {
    const { join, lines } = serve();
    const { ask, sent } = join();
    const { over } = await ask("agent.run", { name: "helper", input: "moved" });
    await over;
    expect(sent()).toMatchObject([{ name: "agent.error", payload: { code: "interrupted" } }]);
    expect(lines.filter((line) => line.includes("A request failed"))).toEqual([]);
  });

  it.each([{}, { idempotencyKey: "k1" }])("ends without a word for a client that has left (%j)", async (more) => {
    const { client, ask, sent } = serve().join();
    const { over } = await ask("agent.run", { name: "helper", input: "hang", ...more });
    client.leave();
    await over;
    expect(sent()).toEqual([]);
  });

  it.each<[Event, object, string]>([
    ["agent.run", { name: "helper", input: 7 }, "invalid_request"],
    ["agent.run", { name: "nobody", input: "Hi" }, "not_found"],
    ["team.run", { name: "nobody", input: "Hi" }, "not_found"],
  ])("of %s with %j that is refused is told in both ways, and takes no place", async (event, payload, code) => {
    const { client, ask, sent } = serve().join();
    const { answer } = await ask(event, payload);
    const { name } = payload as { name: string };
    expect(answer).toEqual({ error: expect.any(String), code });
    await sleep(0);
    expect(sent()).toEqual([{ name: "agent.error", payload: { ...answer, name } }]);
    expect(client.isIdle).toBe(true);
  });

  it("beyond the limit of its socket is refused, until another is over", async () => {
    const { ask } = serve().join();
    const first = await ask("agent.run", { name: "helper", input: "hang" });
    expect((await ask("agent.run", { name: "helper", input: "Hi" })).answer).toMatchObject({ code: "rate_limited" });
    expect((await ask("agent.attach", { runId: "r1" })).answer).toMatchObject({ code: "rate_limited" });
    const { runId } = first.answer;
    expect((await ask("agent.cancel", { runId })).answer).toEqual({ runId, status: expect.any(String) });
    await first.over;
    expect((await ask("agent.run", { name: "helper", input: "Hi" })).answer).toHaveProperty("runId");
  });
});

it.each([0, false, "", null])(
  "the answer %j to a question is an answer, which its run decides about",
  async (answer) => {
    const { ask } = serve().join();
    const given = { runId: "r1", waitId: "w", answer };
    expect((await ask("agent.answer", given)).answer).toMatchObject({ code: "not_found" });
  },
);

describe("a refusal", () => {
  it.each<[Event, object, object]>([
    ["agent.run", { name: "x".repeat(256), runId: "r1" }, { name: "x".repeat(256) }],
    ["agent.run", { name: "x".repeat(257) }, {}],
    ["team.run", { name: 7 }, {}],
    ["agent.attach", { runId: "r1", name: "n" }, { runId: "r1" }],
    ["agent.cancel", { runId: "x".repeat(257) }, {}],
    ["agent.answer", { runId: "r1" }, { runId: "r1" }],
  ])(
    "of %s that waits for no answer is an event with what it named, if it is short: %#",
    async (event, payload, known) => {
      const { tell, sent } = serve().join();
      await tell(event, payload);
      const [first, ...others] = sent();
      expect([first?.name, others]).toEqual(["agent.error", []]);
      const { error: _error, code: _code, ...rest } = { error: "", code: "", ...first?.payload };
      expect(rest).toEqual(known);
    },
  );

  it.each<[Event, object, string]>([
    ["agent.attach", { runId: "r1", after: 7 }, "after must be a string of 1 to 256 characters."],
    ["agent.attach", { runId: "" }, "runId must be a string of 1 to 256 characters."],
    ["agent.cancel", {}, "runId must be a string of 1 to 256 characters."],
    ["agent.answer", { runId: "r1", answer: 1 }, "waitId must be a string of 1 to 256 characters."],
    ["agent.answer", { runId: "r1", waitId: "w" }, 'The payload must have an answer, such as {"approved": true}.'],
  ])("of %s that waits for an answer is the answer alone: %#", async (event, payload, error) => {
    const { ask, sent } = serve().join();
    expect((await ask(event, payload)).answer).toEqual({ error, code: "invalid_request" });
    await sleep(0);
    expect(sent()).toEqual([]);
  });
});

describe("a run that is stored", () => {
  it("is followed from its beginning, or behind the event that the client has seen", async () => {
    const { join } = serve();
    const first = join();
    const run = await first.ask("agent.run", stored);
    await run.over;
    const events = first.sent();
    const { runId } = run.answer;
    const { id } = { id: "", ...events[0]?.payload };
    for (const [after, behind] of [
      [undefined, 0],
      [null, 0],
      [id, 1],
    ] as const) {
      const { client, ask, sent } = join();
      const { answer, over } = await ask("agent.attach", { runId, after });
      expect(answer).toEqual({ ...run.answer, name: "helper", status: "completed" });
      await over;
      expect([sent(), client.isIdle]).toEqual([events.slice(behind), true]);
    }
  });

  it("is followed once by a socket: the earlier following ends without a word, and the run goes on", async () => {
    const { client, ask, sent } = serve({ maxRunsPerSocket: 2 }).join();
    const first = await ask("agent.run", { ...stored, input: "hang" });
    const second = await ask("agent.attach", { runId: first.answer["runId"] });
    await first.over;
    expect(second.answer).toHaveProperty("status");
    expect([sent(), client.isIdle]).toEqual([[], false]);
    expect((await ask("agent.attach", { runId: "r1" })).answer).toMatchObject({ code: "not_found" });
  });

  it("is followed for resumeMs after its end, and not later", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { ask } = serve({ resumeMs: 5000 }).join();
    const { answer, over } = await ask("agent.run", stored);
    await over;
    const { runId } = answer;
    vi.setSystemTime(Date.now() + 4000);
    const again = await ask("agent.attach", { runId });
    await again.over;
    expect(again.answer).toMatchObject({ status: "completed" });
    vi.setSystemTime(Date.now() + 2000);
    expect((await ask("agent.attach", { runId })).answer).toMatchObject({ code: "gone" });
  });

  it.each<[object | undefined, (object | undefined)[]]>([
    [{ userId: "ada" }, [{ userId: "bob" }, { userId: "ada", tenantId: "t" }, undefined]],
    [undefined, []],
  ])("is followed, answered and cancelled by its own user alone: %j", async (user, others) => {
    const { join } = serve({ maxRunsPerSocket: 3 });
    const owner = join(user);
    const { answer, over } = await owner.ask("agent.run", { ...stored, input: "pay" });
    const { runId } = answer;
    const waitId = await vi.waitFor(() => {
      const found = owner.sent().find(({ name }) => name === "agent.wait");
      if (found === undefined) throw new Error("It does not wait yet.");
      return (found.payload as Fields)["waitId"];
    }, soon);
    const given = { runId, waitId, answer: { approved: true } };
    for (const other of others.map(join)) {
      for (const [event, payload] of [
        ["agent.attach", { runId }],
        ["agent.cancel", { runId }],
        ["agent.answer", given],
      ] as const) {
        expect((await other.ask(event, payload)).answer).toMatchObject({ code: "not_found" });
      }
    }
    expect((await owner.ask("agent.answer", given)).answer).toEqual({ runId, waitId });
    await over;
    expect(names(owner.sent()).at(-1)).toBe("agent.done");
  });
});
