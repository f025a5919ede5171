import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { eventsOnBus, readAll } from "../../testing/conformance/runnable-subject.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { callOf, scripted, toolNamed } from "./test/agents.ts";

const canary = "sk-canary-4f1c9d";
const foreign = "sk-foreign-77ab20";
const opts = { apiKey: canary, apiKeys: { elsewhere: foreign }, sessionId: "s", userId: "u" };
const leak = () => new Error(`the vendor refused ${canary} and ${foreign}`);

/** Returns the text that is written to the standard error stream meanwhile. */
async function loggedDuring(work: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (line: unknown) => lines.push(String(line)) > 0;
  try {
    await work();
  } finally {
    process.stderr.write = write;
  }
  return lines.join("");
}

/** An agent in which everybody tells all that they know, and everything is looked at. */
function talkative() {
  const storage = new InMemoryStorage();
  const seen: unknown[] = [];
  const look = (...values: unknown[]) =>
    void seen.push(...values.map((value) => inspect(value, { depth: 9, showHidden: true })));
  const tell = toolNamed("look", (_at, context) => {
    look(context, { ...context });
    context.logger.info(`told ${canary}`, { foreign, nested: { list: [`x${canary}y`] } });
    throw leak();
  });
  const setUp = scripted([{ toolCalls: [callOf("1")] }, "Done.", { toolCalls: [callOf("2")] }, { error: leak() }], {
    storage,
    tools: [tell],
    logLevel: "debug",
    instructions: (context) => {
      look(context);
      return "Be short.";
    },
    guardrails: { input: [{ name: "g", check: (_text, context) => (look(context), { pass: true }) }] },
    hooks: {
      beforeRun: (context) => look(context),
      onToolCall: (context, call) => look(context, call),
      afterRun: (context, output) => {
        look(context, output);
        throw leak();
      },
      onError: (context, error) => {
        look(context, error.message, error.output, error.fields);
        throw leak();
      },
    },
  });
  return { ...setUp, storage, seen };
}

describe("the key of a run", () => {
  it("reaches the calls of its vendor's model, and nothing else [run-opts.api-key]", async () => {
    const { agent, model, storage, seen } = talkative();
    const heard = eventsOnBus(agent);
    const results: unknown[] = [];
    const log = await loggedDuring(async () => {
      results.push(await agent.run("Weather?", opts));
      results.push(await readAll(agent.stream("Weather?", opts)).catch((error: unknown) => JSON.stringify(error)));
    });

    expect(model.calls.map(({ options }) => options.apiKey)).toEqual([canary, canary, canary, canary]);
    expect(heard.length).toBeGreaterThan(8);
    expect(seen.length).toBeGreaterThan(8);
    expect(log.split("\n").length).toBeGreaterThan(5);
    const dumps = await Promise.all(
      ["sessions", "turns", "memory", "facts"].map(async (name) => await storage.list(name)),
    );
    const texts = [
      log,
      ...seen,
      JSON.stringify([heard, results, dumps]),
      JSON.stringify(model.calls.map(({ messages }) => messages)),
    ];
    for (const text of texts) expect(text).not.toMatch(/sk-canary|sk-foreign/);
  });

  it("is not remembered: the next run has none", async () => {
    const { agent, model } = scripted(["One.", "Two."], { sessionId: "s" });
    await agent.run("Hi", { apiKey: canary });
    await agent.run("Hi");

    expect(model.calls[1]?.options).not.toHaveProperty("apiKey");
  });

  it("is never another vendor's", async () => {
    const { agent, model } = scripted(["One."]);
    await agent.run("Hi", { apiKeys: { elsewhere: foreign } });

    expect(model.calls[0]?.options).not.toHaveProperty("apiKey");
  });
});
