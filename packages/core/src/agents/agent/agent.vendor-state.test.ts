import { describe, expect, it } from "vitest";
import { ModelError } from "../../base/errors/model-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { Memory } from "../memory/memory.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { callOf, look, scripted } from "./test/agents.ts";

const stateOf = (model: ScriptedModel, call: number) =>
  model.calls[call]?.messages.flatMap(({ vendorState }) => vendorState?.items ?? []);
const searched = { text: "It rains.", storedVendorState: ["SEARCHED"] };

/** Collects the warnings of an agent's runs. */
function warningsOf({ agent }: ReturnType<typeof scripted>): string[] {
  const codes: string[] = [];
  agent.eventBus.on("run.warning", ({ code }) => void codes.push(code));
  return codes;
}

describe("vendor state that is stored with a turn", () => {
  it.each(["run", "stream"] as const)(
    "goes back with the answers of later turns, and reaches no client, in a %s [model-calls.stored-vendor-state]",
    async (way) => {
      const storage = new InMemoryStorage();
      const asks = { toolCalls: [callOf("1")], storedVendorState: ["LOOKED"] };
      const { agent, model } = scripted([asks, searched, "Yes.", "Bye."], { tools: [look], storage });
      const seen: unknown[] = [];
      for (const name of ["run.start", "run.stream.chunk", "tool.call", "tool.result", "run.complete"] as const) {
        agent.eventBus.on(name, (data) => void seen.push(data));
      }
      const ask = (input: string) => {
        if (way === "run") return agent.run(input, { sessionId: "s" });
        const stream = agent.stream(input, { sessionId: "s" });
        return Array.fromAsync(stream).then((chunks) => (seen.push(chunks), stream.output));
      };
      for (const input of ["Weather?", "Sure?", "Bye."]) seen.push(await ask(input));

      expect(stateOf(model, 1)).toEqual(["LOOKED"]);
      expect(stateOf(model, 2)).toEqual(["LOOKED", "SEARCHED"]);
      expect(stateOf(model, 3)).toEqual(["LOOKED", "SEARCHED"]);
      expect(JSON.stringify(seen)).not.toMatch(/LOOKED|SEARCHED|vendorState/);
      expect(JSON.stringify(await storage.list("turns"))).toContain("SEARCHED");
    },
  );

  it("is not kept for a text that a guardrail changed [model-calls.stored-vendor-state]", async () => {
    const hide = {
      name: "hide",
      check: (text: string) => ({ pass: true as const, replace: text.replace("rains", "…") }),
    };
    const { agent, model } = scripted([searched, "Bye."], { guardrails: { output: [hide] } });
    await agent.run("Weather?", { sessionId: "s" });
    await agent.run("Bye.", { sessionId: "s" });

    expect(JSON.stringify(model.calls[1]?.messages)).toContain("It ….");
    expect(stateOf(model, 1)).toEqual([]);
  });

  it("is taken neither from given messages, nor from a stored message, nor from a memory [model-calls.stored-vendor-state]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted(["One.", "Two.", "Three."], { storage });
    const { providerId, modelId } = model;
    const vendorState = { providerId, modelId, items: ["PLANTED"], stored: true };
    const planted = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello.", vendorState },
    ] as ChatMessage[];
    await agent.run("First", { sessionId: "s", messages: planted });
    for (const { key, value } of await storage.list("turns")) {
      const turn = structuredClone(value) as { messages: object[] };
      Object.assign(turn.messages[0] ?? {}, { vendorState });
      await storage.set("turns", key, turn as never);
    }
    await agent.run("Second", { sessionId: "s" });
    const memory = new Memory();
    await memory.addMessages("m", planted);
    const remembering = scripted(["Four."], { memory });
    await remembering.agent.run("Third", { sessionId: "m" });

    expect([stateOf(model, 0), stateOf(model, 1), stateOf(remembering.model, 0)]).toEqual([[], [], []]);
    expect(JSON.stringify(model.calls[1]?.messages)).toContain("Hello.");
    expect(JSON.stringify(remembering.model.calls[0]?.messages)).toContain("Hello.");
  });

  it.each(["a history", "a memory"])(
    "is left out with a warning when the vendor refuses it, from %s, and asked for once in the session [model-calls.refused-vendor-state] [model-calls.refused-once]",
    async (from) => {
      const storage = new InMemoryStorage();
      const memory = from === "a memory" ? { memory: new Memory() } : {};
      const setUp = scripted([searched], { retry: { maxRetries: 0 }, storage, tools: [look], ...memory });
      const { agent, model } = setUp;
      const warnings = warningsOf(setUp);
      await agent.run("Weather?", { sessionId: "s" });
      const refusal = new ModelError({ providerId: model.providerId, status: 400 });
      model.respond(({ messages }) => {
        if (messages.some(({ vendorState }) => JSON.stringify(vendorState ?? "").includes("SEARCHED")))
          return { error: refusal };
        const isLooking = messages.at(-1)?.content === "Sure?";
        return isLooking ? { toolCalls: [callOf("1")], storedVendorState: ["LOOKED"] } : "Yes.";
      });

      // Another process with the same storage.
      const again = new Agent({ name: "helper", model, retry: { maxRetries: 0 }, storage, tools: [look], ...memory });
      expect((await agent.run("Sure?", { sessionId: "s" })).text).toBe("Yes.");
      expect((await again.stream("Really?", { sessionId: "s" }).output).text).toBe("Yes.");
      expect(model.calls.map((_, call) => stateOf(model, call))).toEqual([
        [],
        ["SEARCHED"],
        [],
        ["LOOKED"],
        ["LOOKED"],
      ]);
      expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("It rains.");
      expect(warnings).toEqual(["vendor_state_refused"]);
      model.respond(() => ({ error: refusal }));
      await expect(agent.run("Now?", { sessionId: "other" })).rejects.toMatchObject({ code: "model_failed" });
    },
  );

  it("goes back to another model that did not refuse its own [model-calls.refused-once]", async () => {
    const storage = new InMemoryStorage();
    const [one, two] = ["one", "two"].map((name) => {
      const model = new ScriptedModel({ text: "Mine.", storedVendorState: [name] });
      return Object.assign(model, { modelId: name });
    }) as [ScriptedModel, ScriptedModel];
    const ask = (model: ScriptedModel) =>
      new Agent({ name: "a", model, storage, retry: { maxRetries: 0 } }).run("Sure?", { sessionId: "s" });
    await ask(one);
    await ask(two);
    two.respond(() => "Yes.");
    one.respond(({ messages }) =>
      messages.some(({ vendorState }) => vendorState?.modelId === "one")
        ? { error: new ModelError({ providerId: "scripted", status: 400 }) }
        : "Yes.",
    );
    await ask(one);
    await ask(two);
    await ask(one);

    expect([1, 2, 3].map((call) => stateOf(one, call))).toEqual([["one", "two"], ["two"], ["two"]]);
    expect([0, 1].map((call) => stateOf(two, call))).toEqual([["one"], ["two"]]);
    expect(one.calls).toHaveLength(4);
  });

  it("stays left out when another model refuses its own in a later turn [model-calls.refused-once]", async () => {
    const storage = new InMemoryStorage();
    const models = ["one", "two"].map((name) => {
      const model = new ScriptedModel({ text: "Mine.", storedVendorState: [name] });
      return Object.assign(model, { modelId: name });
    });
    const ask = async (model: ScriptedModel) =>
      await new Agent({ name: "a", model, storage, retry: { maxRetries: 0 } }).run("Sure?", { sessionId: "s" });
    for (const model of models) await ask(model);
    for (const model of models) {
      model.respond(({ messages }) =>
        messages.some(({ vendorState }) => vendorState?.modelId === model.modelId)
          ? { error: new ModelError({ providerId: "scripted", status: 400 }) }
          : "Yes.",
      );
    }
    for (const model of [...models, ...models]) await ask(model);

    // The answer that brought the state, the refused call and its repetition, and one call in the second round.
    expect(models.map(({ calls }) => calls.length)).toEqual([4, 4]);
    expect(models.map((model) => stateOf(model, 3))).toEqual([[], []]);
  });

  it.each(["a history", "a memory"])(
    "is left out after each refusal, of other state in the same run and in a later one, and new state goes back, from %s [model-calls.refused-once]",
    async (from) => {
      const memory = from === "a memory" ? { memory: new Memory() } : {};
      const tools = [look];
      const { agent, model } = scripted([{ text: "A.", storedVendorState: ["A"] }], {
        tools,
        retry: { maxRetries: 0 },
        ...memory,
      });
      await agent.run("0", { sessionId: "s" });
      const refused = new Set<unknown>(["A", "B", "D"]);
      const answers = [
        { toolCalls: [callOf("1")], storedVendorState: ["B"] },
        { toolCalls: [callOf("2")], storedVendorState: ["C"] },
        { text: "D.", storedVendorState: ["D"] },
        { text: "E.", storedVendorState: ["E"] },
        "F.",
      ];
      model.respond(({ messages }) => {
        const sent = messages.flatMap(({ vendorState }) => vendorState?.items ?? []);
        const isRefused = sent.some((item) => refused.has(item));
        return isRefused
          ? { error: new ModelError({ providerId: model.providerId, status: 400 }) }
          : (answers.shift() ?? "");
      });
      for (const input of ["1", "2", "3"]) await agent.run(input, { sessionId: "s" });

      const states = model.calls.slice(1).map((_, call) => stateOf(model, call + 1));
      const firstRun = [["A"], [], ["B"], [], ["C"]];
      const laterRuns = [["C", "D"], [], ["E"]];
      expect(states).toEqual([...firstRun, ...laterRuns]);
    },
  );

  it("is refused for good only where the call succeeds without it [model-calls.refused-once]", async () => {
    const { agent, model } = scripted([searched], { retry: { maxRetries: 0 } });
    await agent.run("Weather?", { sessionId: "s" });
    model.respond(() => ({ error: new ModelError({ providerId: model.providerId, status: 400 }) }));
    await expect(agent.run("Bad?", { sessionId: "s" })).rejects.toMatchObject({ code: "model_failed" });
    model.respond(() => "Yes.");
    await agent.run("Sure?", { sessionId: "s" });

    expect(stateOf(model, 3)).toEqual(["SEARCHED"]);
  });

  it("goes back with the answers that are in a memory's window, as long as they are [memory.vendor-state]", async () => {
    const [storage, memory] = [new InMemoryStorage(), new Memory({ maxShortTermMessages: 6 })];
    const asks = { toolCalls: [callOf("1")], storedVendorState: ["LOOKED"] };
    const { agent, model } = scripted(["Hi.", asks, searched, "Yes.", searched, "Yes.", "Yes.", "Yes."], {
      tools: [look],
      storage,
      memory,
    });
    for (const input of ["Hi", "Weather?", "Sure?", "Weather?", "Sure?", "Sure?", "Sure?"]) {
      await agent.run(input, { sessionId: "s" });
    }

    const states = model.calls.map((_, call) => stateOf(model, call));
    expect(states.slice(2)).toEqual([
      ["LOOKED"],
      ["LOOKED", "SEARCHED"],
      ["LOOKED", "SEARCHED"],
      ["SEARCHED"],
      ["SEARCHED"],
      ["SEARCHED"],
    ]);
    const [kept] = await storage.list("memory");
    expect(kept?.value).toMatchObject({ vendorStateTurns: [] });
    expect(JSON.stringify(kept)).not.toMatch(/LOOKED|SEARCHED/);
  });

  it("goes back from a memory that missed its turn, and not after the turn was deleted [memory.vendor-state]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted([searched, "Yes.", "No."], { storage });
    await agent.run("Weather?", { sessionId: "s" });
    const later = new Agent({ name: "helper", model, storage, memory: new Memory() });
    await later.run("Sure?", { sessionId: "s" });
    expect(stateOf(model, 1)).toEqual(["SEARCHED"]);

    await later.sessions.deleteTurns("s", 1);
    await later.run("And now?", { sessionId: "s" });
    expect(stateOf(model, 2)).toEqual([]);
  });

  it("does not go back from a memory that keeps messages alone, which is told [memory.vendor-state]", async () => {
    const kept: ChatMessage[] = [];
    const memory = {
      addMessages: (_id: string, messages: ChatMessage[]) => void kept.push(...messages),
      getMessages: () => [...kept],
      getSummaries: () => [],
      getContextString: () => "",
      clear: () => undefined,
    };
    const setUp = scripted([searched, "Yes."], { memory });
    const warnings = warningsOf(setUp);
    await setUp.agent.run("Weather?", { sessionId: "s" });
    await setUp.agent.run("Sure?", { sessionId: "s" });

    expect(stateOf(setUp.model, 1)).toEqual([]);
    expect(warnings).toEqual(["state_not_replayed"]);
  });

  it("is left out with a warning when it is too large for a turn", async () => {
    const setUp = scripted([{ text: "It rains.", storedVendorState: ["x".repeat(3_000_000)] }, "Bye."]);
    const warnings = warningsOf(setUp);
    await setUp.agent.run("Weather?", { sessionId: "s" });
    await setUp.agent.run("Bye.", { sessionId: "s" });

    expect(stateOf(setUp.model, 1)).toEqual([]);
    expect(warnings).toEqual(["state_not_stored"]);
  });

  it("counts as much as it holds towards maxContextTokens", async () => {
    const { agent, model } = scripted([{ ...searched, storedVendorState: ["x".repeat(8000)] }, "Bye."], {
      maxContextTokens: 1000,
    });
    await agent.run("Weather?", { sessionId: "s" });
    await agent.run("Bye.", { sessionId: "s" });

    expect(model.calls[1]?.messages.map(({ content }) => content)).toEqual(["Bye."]);
  });
});
