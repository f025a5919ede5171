import { describe, expect, it } from "vitest";
import { ModelError } from "../errors/model-error.ts";
import type { ChatMessage } from "../message/message.ts";
import { Memory } from "../memory/memory.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
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

  it("is left out with a warning when the vendor refuses it [model-calls.refused-vendor-state]", async () => {
    const setUp = scripted([searched], { retry: { maxRetries: 0 } });
    const { agent, model } = setUp;
    const warnings = warningsOf(setUp);
    await agent.run("Weather?", { sessionId: "s" });
    const refusal = new ModelError({ providerId: model.providerId, status: 400 });
    model.respond(({ messages }) =>
      messages.some(({ vendorState }) => vendorState !== undefined) ? { error: refusal } : "Yes.",
    );

    expect((await agent.run("Sure?", { sessionId: "s" })).text).toBe("Yes.");
    expect((await agent.stream("Really?", { sessionId: "s" }).output).text).toBe("Yes.");
    expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("It rains.");
    expect(warnings).toEqual(["vendor_state_refused", "vendor_state_refused"]);
    model.respond(() => ({ error: refusal }));
    await expect(agent.run("Now?", { sessionId: "other" })).rejects.toMatchObject({ code: "model_failed" });
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
