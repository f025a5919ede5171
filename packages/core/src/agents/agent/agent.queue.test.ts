import { describe, expect, it } from "vitest";
import { getTextContent } from "../../base/message/content.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import type { TurnRecord } from "../../sessions/session/turn-record.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import { callOf, scripted, toolNamed } from "./test/agents.ts";
import { turnOver } from "../run/test/small-run.ts";
import { pause } from "./test/random-model.ts";

/** An agent that looks at what it is given and says so, with time in between. */
function slow(config: Parameters<typeof scripted>[1] = {}, turns: Parameters<typeof scripted>[0] = []) {
  const storage = new InMemoryStorage();
  const tool = toolNamed("look", async (at) => {
    await new Promise((resolve) => setImmediate(resolve));
    return `${at} seen`;
  });
  const setUp = scripted(turns, { storage, tools: [tool], sessionId: "s", numHistoryRuns: 3, ...config });
  setUp.model.respond(({ messages }) => {
    const last = messages.at(-1);
    const text = getTextContent(last?.content ?? null);
    return last?.role === "user" ? { toolCalls: [callOf(`call ${text}`, text)] } : `I saw: ${text}`;
  });
  return { ...setUp, storage };
}

async function turnsIn(storage: InMemoryStorage): Promise<TurnRecord[]> {
  return (await storage.list("turns")).map(({ value }) => value as unknown as TurnRecord);
}

function expectWhole(turns: readonly TurnRecord[]): void {
  for (const { input, messages, status } of turns) {
    expect(status).toBe("completed");
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(messages.at(-1)?.content).toBe(`I saw: ${getTextContent(input)} seen`);
  }
}

const inputs = Array.from({ length: 50 }, (_, index) => `${index}`);

describe("runs on one session at the same time", () => {
  it("make 50 whole turns in the order in which they came, and leave the queue empty", async () => {
    const { agent, storage, model } = slow({ onBusy: { maxWaiting: 49 } });
    await Promise.all(inputs.map(async (input) => await agent.run(input)));

    const turns = await turnsIn(storage);
    expect(turns.map(({ input }) => input)).toEqual(inputs);
    expectWhole(turns);
    const asked = model.calls.map(({ messages }) => messages.findLast(({ role }) => role === "user")?.content);
    expect(asked).toEqual(inputs.flatMap((input) => [input, input]));
    expect(recordQueuesOf(storage).busyKeys).toBe(0);
  });

  it("are refused when ten wait already, and the others stay whole and in order", async () => {
    const { agent, storage } = slow();
    const outcomes = await Promise.all(
      inputs.map(
        async (input) =>
          await agent.run(input).then(
            ({ status }) => status,
            ({ code }: { code: string }) => code,
          ),
      ),
    );

    expect(outcomes.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => "completed"));
    expect(outcomes.slice(11)).toEqual(Array.from({ length: 39 }, () => "conflict"));
    const turns = await turnsIn(storage);
    expect(turns.map(({ input }) => input)).toEqual(inputs.slice(0, 11));
    expectWhole(turns);
    expect(recordQueuesOf(storage).busyKeys).toBe(0);
  });

  it("are refused at once when onBusy is reject", async () => {
    const { agent, storage } = slow({ onBusy: "reject" });
    const first = agent.run("0");

    expect((await runErrorOf(agent.run("1"))).code).toBe("conflict");
    await first;
    expect((await agent.run("2")).status).toBe("completed");
    expect((await turnsIn(storage)).map(({ input }) => input)).toEqual(["0", "2"]);
  });

  it("wait for each other also when different agents on the storage make them", async () => {
    const { agent, storage } = slow();
    const other = slow({ storage, name: "other" });
    const runs = inputs
      .slice(0, 10)
      .map(async (input, index) => await (index % 2 === 0 ? agent : other.agent).run(input));
    await Promise.all(runs);

    const turns = await turnsIn(storage);
    expect(turns.map(({ input }) => input)).toEqual(inputs.slice(0, 10));
    expectWhole(turns);
  });

  it("leave the queue when they are cancelled, and let the next one in when they fail", async () => {
    const { agent, storage, model } = slow({}, [{ hang: true }]);
    const first = agent.stream("0");
    const failing = runErrorOf(first.output);
    const waiting = agent.stream("1");
    const left = runErrorOf(waiting.output);
    const last = agent.run("2");
    waiting.cancel();
    expect((await left).code).toBe("cancelled");
    await until(() => model.calls.length > 0);
    first.cancel();

    await failing;
    expect((await last).text).toBe("I saw: 2 seen");
    expect(recordQueuesOf(storage).busyKeys).toBe(0);
  });

  it("release the session at whatever moment they are cancelled, with or without the lease", async () => {
    for (let after = 0; after < 120; after++) {
      const { agent, storage } = slow();
      const streams = [agent.stream("0"), agent.stream("1")];
      const outcomes = streams.map(async ({ output }) => await output.catch(() => undefined));
      await pause(after);
      for (const stream of streams) stream.cancel();
      await Promise.all(outcomes);
      await turnOver();
      expect(recordQueuesOf(storage).busyKeys).toBe(0);
    }
  });

  it("do not wait for runs on other sessions", async () => {
    const { agent, model } = scripted([{ hang: true }, "Hi."]);
    const stuck = agent.stream("Hi", { sessionId: "a" });
    const error = runErrorOf(stuck.output);
    await until(() => model.calls.length === 1);

    expect((await agent.run("Hi", { sessionId: "b" })).text).toBe("Hi.");
    stuck.cancel();
    await error;
  });
});
