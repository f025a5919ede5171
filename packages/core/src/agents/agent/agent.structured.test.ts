import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { SchemaError } from "../../schema/schema-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { readAll, runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { readUntilEnd } from "../run/test/small-run.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { callOf, look } from "./test/agents.ts";

const forecast = z.object({ city: z.string(), rain: z.boolean() });
const good = { city: "Oslo", rain: true };

type Turns = ConstructorParameters<typeof ScriptedModel>;
type Config = Partial<ConstructorParameters<typeof Agent>[0]>;

function forecasting(turns: Turns, config: Config = {}) {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name: "a", model, ...config, structuredOutput: forecast }), model };
}

describe.each(["run", "stream"] as const)("structured output (%s)", (way) => {
  const start = async (agent: ReturnType<typeof forecasting>["agent"]) =>
    way === "run" ? await agent.run("Oslo?") : await agent.stream("Oslo?").output;

  it("is requested by its schema, and is the checked value [agent.structured-output]", async () => {
    const { agent, model } = forecasting([{ structured: good }]);
    const output = await start(agent);

    expect(output.structured).toEqual(good);
    expectTypeOf(output.structured).toEqualTypeOf<{ city: string; rain: boolean }>();
    expect(output.text).toBe(JSON.stringify(good));
    expect(model.calls[0]?.options.responseFormat).toMatchObject({
      type: "json_schema",
      schema: { type: "object", required: ["city", "rain"] },
    });
  });

  it("may be a plain JSON Schema, whose root may be anything", async () => {
    const model = new ScriptedModel({ structured: { value: [1, 2] } });
    const structuredOutput = { type: "array", items: { type: "number" } };
    const agent = new Agent({ name: "a", model, structuredOutput });

    expect((await (way === "run" ? agent.run("Hi") : agent.stream("Hi").output)).structured).toEqual([1, 2]);
  });

  it("is repaired by the model, which gets the issues, and leaves no trace of that", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = forecasting([{ structured: { city: "Oslo" } }, "not JSON", { structured: good }], {
      storage,
    });
    const output = await start(agent);

    expect(output.structured).toEqual(good);
    expect(output.usage.totalTokens).toBe(45);
    const [, second, third] = model.calls.map(({ messages }) => messages);
    expect(second?.slice(1)).toEqual([
      { role: "assistant", content: '{"city":"Oslo"}' },
      { role: "user", content: expect.stringMatching(/does not fit[\s\S]*rain/) },
    ]);
    expect(third).toHaveLength(5);
    expect(output.messages).toEqual([
      { role: "user", content: "Oslo?" },
      { role: "assistant", content: JSON.stringify(good) },
    ]);
    expect(JSON.stringify(await storage.list("turns"))).not.toContain("does not fit");
  });

  it("fails after two repairs, with an error that holds the issues", async () => {
    const { agent, model } = forecasting(["no", "no", "still no", { structured: good }]);
    const error = await runErrorOf(start(agent));

    expect(error).toMatchObject({ code: "structured_output_invalid", fields: { issueCount: 1 } });
    expect(error.cause).toBeInstanceOf(SchemaError);
    expect(error.output).toMatchObject({ structured: null, text: "still no", usage: { totalTokens: 45 } });
    expect(model.calls).toHaveLength(3);
  });

  it("comes after the tools, which are sent and not callable during repairs", async () => {
    const turns: Turns = [{ toolCalls: [callOf("1")] }, "Rain.", { structured: good }];
    const { agent, model } = forecasting(turns, { tools: [look] });
    const output = await start(agent);

    expect(output).toMatchObject({ structured: good, toolCalls: [{ result: "Oslo seen" }] });
    expect(model.calls.map(({ options }) => options.toolChoice)).toEqual([undefined, undefined, "none"]);
    expect(output.messages?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("goes through the guardrails first, and their result is checked", async () => {
    const replace = JSON.stringify({ city: "***", rain: true });
    const seen: string[] = [];
    const check = (text: string) => {
      seen.push(text);
      return { pass: true as const, replace };
    };
    const { agent } = forecasting([{ structured: good }], { guardrails: { output: [{ name: "g", check }] } });
    const output = await start(agent);

    expect(output).toMatchObject({ text: replace, structured: { city: "***" } });
    expect(seen).toEqual([JSON.stringify(good)]);
  });

  it("goes through the guardrails again when it is repaired [agent.guardrails-output]", async () => {
    const seen: string[] = [];
    const check = (text: string) => {
      seen.push(text);
      return text.includes("Oslo") ? { pass: false as const, reason: "no" } : { pass: true as const };
    };
    const turns: Turns = [{ structured: { city: "Rome" } }, { structured: good }];
    const { agent } = forecasting(turns, { guardrails: { output: [{ name: "g", check }] } });
    const error = await runErrorOf(start(agent));

    expect(error).toMatchObject({ code: "guardrail_blocked", output: { structured: null } });
    expect(error.output.text).not.toContain("Oslo");
    expect(seen).toEqual(['{"city":"Rome"}', JSON.stringify(good)]);
  });

  it("is refused when a guardrail refuses it, without a repair", async () => {
    const check = () => ({ pass: false as const, reason: "too wet" });
    const { agent, model } = forecasting([{ structured: good }], { guardrails: { output: [{ name: "g", check }] } });

    const error = await runErrorOf(start(agent));

    expect(error).toMatchObject({ code: "guardrail_blocked", output: { text: "", structured: null } });
    expect(model.calls).toHaveLength(1);
  });

  it("goes through the guardrails again when it was repaired, once or twice [guardrail.repaired-answer]", async () => {
    const wet = JSON.stringify(good);
    for (const misfits of [["no"], ["no", "no"]]) {
      const seen: string[] = [];
      const check = (text: string) => {
        seen.push(text);
        return text === wet ? { pass: false as const, reason: "too wet" } : { pass: true as const };
      };
      const guardrails = { output: [{ name: "g", check }] };
      const error = await runErrorOf(start(forecasting([...misfits, wet], { guardrails }).agent));

      expect(seen).toEqual([...misfits, wet]);
      expect(error).toMatchObject({ code: "guardrail_blocked", output: { structured: null } });
      expect(error.output.text).not.toBe(wet);
      const replace = JSON.stringify({ city: "***", rain: false });
      const mask = (text: string) => ({ pass: true as const, replace: text === wet ? replace : text });
      const masks = { output: [{ name: "g", check: mask }] };
      const masked = await start(forecasting([...misfits, wet], { guardrails: masks }).agent);
      expect(masked).toMatchObject({ text: replace, structured: { city: "***", rain: false } });
    }
  });

  it("ends with the reason of the answer that fits", async () => {
    const { agent } = forecasting([{ text: '{"city":"Os', finishReason: "length" }, { structured: good }]);

    expect((await readAll(agent.stream("Oslo?"))).at(-1)).toMatchObject({ finishReason: "stop" });
  });
});

describe("the stream of a structured answer", () => {
  it("shows the one text that fits, and none of the others", async () => {
    const { agent } = forecasting([
      { thinking: "hm", text: "no" },
      { text: `\`\`\`json\n${JSON.stringify(good)}\n\`\`\`` },
    ]);

    const chunks = await readAll(agent.stream("Oslo?"));

    expect(chunks.map(({ type }) => type)).toEqual(["thinking", "text", "finish"]);
    expect(chunks[1]).toEqual({ type: "text", text: expect.stringContaining(JSON.stringify(good)) });
  });

  it("shows no text when none fits", async () => {
    const { agent } = forecasting(["no", "no", "no"]);

    const { chunks, error } = await readUntilEnd(agent.stream("Oslo?"));

    expect(chunks).toEqual([]);
    expect(error).toMatchObject({ code: "structured_output_invalid" });
  });
});
