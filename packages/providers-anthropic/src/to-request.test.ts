import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { arrives, ask, weather } from "../test/arrives.ts";

const asked = [{ role: "user", content: [{ type: "text", text: "Umbrella?" }] }];
const mark = { type: "ephemeral" };
const marked = [{ role: "user", content: [{ type: "text", text: "Umbrella?", cache_control: mark }] }];

describe("the request", () => {
  it("is the documented one, field by field [anthropic.factory]", async () => {
    const { body, headers, lines } = await arrives({
      messages: [{ role: "system", content: "Be short." }, ...ask],
      options: { tools: [weather], maxTokens: 500, stop: ["END"], temperature: 0.2 },
      modelId: "claude-sonnet-4-5",
    });

    expect(body).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 500,
      system: [{ type: "text", text: "Be short.", cache_control: mark }],
      messages: marked,
      tools: [
        {
          name: "get_weather",
          description: "Tells the weather",
          input_schema: {
            type: "object",
            properties: { city: { type: "string", minLength: 1 } },
            required: ["city"],
          },
          cache_control: mark,
        },
      ],
      stop_sequences: ["END"],
      temperature: 0.2,
      stream: true,
    });
    const { host: _, "content-length": __, connection: ___, ...sent } = headers;
    expect(sent).toEqual({
      accept: "application/json",
      "accept-encoding": "identity",
      "anthropic-version": "2023-06-01",
      authorization: "Bearer key-1",
      "content-type": "application/json",
      "user-agent": "troupe",
    });
    expect(lines).toEqual([]);
  });

  it("has only what was asked for", async () => {
    const { body, headers } = await arrives();

    expect(body).toEqual({ model: "claude-opus-5-5", max_tokens: 16_384, messages: asked, stream: false });
    expect(headers["anthropic-version"]).toBe("2026-10-21");
  });

  it("carries the key in the header that a gateway reads", async () => {
    const { headers } = await arrives({ provider: { keyHeader: "x-api-key" } });

    expect(headers).toMatchObject({ "x-api-key": "key-1" });
    expect(headers).not.toHaveProperty("authorization");
  });

  it("asks for a whole answer unless tools may be called or it may take long", async () => {
    expect((await arrives()).stream).toBe(false);
    expect((await arrives({ options: { tools: [weather] } })).stream).toBe(true);
    expect((await arrives({ options: { maxTokens: 21_333 } })).stream).toBe(false);
    expect((await arrives({ options: { maxTokens: 21_334 } })).stream).toBe(true);
  });
});

describe("sampling", () => {
  it("goes to elder models, in the version of the interface that knows it [model-config.sampling]", async () => {
    const { body, headers } = await arrives({ modelId: "claude-haiku-4-5", options: { topP: 0.5 } });

    expect(body).toMatchObject({ top_p: 0.5 });
    expect(headers["anthropic-version"]).toBe("2023-06-01");
  });

  it("is a temperature or a topP, and never both", async () => {
    const { body, lines } = await arrives({ modelId: "claude-opus-4-6", options: { temperature: 0, topP: 0.5 } });

    expect(body).toMatchObject({ temperature: 0 });
    expect(body).not.toHaveProperty("top_p");
    expect(lines).toHaveLength(1);
  });

  it.each([
    ["claude-opus-4-7", {}],
    ["claude-opus-5-5", {}],
    ["claude-next", {}],
    ["claude-haiku-4-5", { reasoning: { enabled: true } }],
  ])("is left out for %s with %j, and that is said", async (modelId, more) => {
    const { body, headers, lines } = await arrives({ modelId, options: { temperature: 0.2, topP: 1, ...more } });

    expect(body).not.toHaveProperty("temperature");
    expect(body).not.toHaveProperty("top_p");
    expect(headers["anthropic-version"]).toBe("2026-10-21");
    expect(lines).toEqual([expect.stringContaining("temperature or topP is left out")]);
  });

  it("leaves out stop sequences of blanks, which the vendor refuses", async () => {
    const { body, lines } = await arrives({ options: { stop: ["\n", "END"] } });

    expect(body).toMatchObject({ stop_sequences: ["END"] });
    expect(lines).toHaveLength(1);
  });
});

describe("thinking", () => {
  const reasoning = (more: object = {}): ModelOptions => ({ reasoning: { enabled: true, ...more } });

  it.each([
    [{}, undefined],
    [{ budgetTokens: 2048 }, "low"],
    [{ budgetTokens: 8192 }, "medium"],
    [{ budgetTokens: 24_576 }, "high"],
    [{ budgetTokens: 24_577 }, "xhigh"],
    [{ effort: "low" }, "low"],
    [{ effort: "low", budgetTokens: 10_000 }, "high"],
  ])("adapts, and %j makes the effort %s [anthropic.reasoning-budget]", async (more, effort) => {
    const { body } = await arrives({ options: reasoning(more) });

    expect(body).toMatchObject({ thinking: { type: "adaptive", display: "summarized" }, max_tokens: 32_000 });
    expect(body?.["output_config"]).toEqual(effort === undefined ? undefined : { effort });
  });

  it.each([
    [{}, undefined, 4096, 32_000],
    [{ budgetTokens: 10 }, undefined, 1024, 32_000],
    [{ budgetTokens: 40_000 }, undefined, 40_000, 41_024],
    [{ budgetTokens: 2000 }, 500, 2000, 3024],
    [{ budgetTokens: 900_000 }, undefined, 62_976, 64_000],
  ])(
    "has a budget for older models: %j with a limit of %s becomes %s of %s [anthropic.reasoning-budget]",
    async (more, maxTokens, ...expected) => {
      const [budget, most] = expected;
      const options = { ...reasoning(more), ...(maxTokens !== undefined && { maxTokens }) };
      const { body } = await arrives({ modelId: "claude-haiku-4-5", options });

      expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: budget }, max_tokens: most });
    },
  );

  it("is not mentioned unless it is asked for [model-config.reasoning]", async () => {
    for (const options of [{}, { reasoning: { enabled: false, budgetTokens: 5000 } }]) {
      expect((await arrives({ options })).body).not.toHaveProperty("thinking");
    }
  });

  it("is left out for models that cannot, and that is said", async () => {
    const { body, lines } = await arrives({ modelId: "claude-3-5-haiku-latest", options: reasoning() });

    expect(body).toMatchObject({ max_tokens: 8192 });
    expect(body).not.toHaveProperty("thinking");
    expect(lines).toEqual([expect.stringContaining("reasoning is left out")]);
  });

  it("is left out with a budget when the thinking of the turn's calls is gone", async () => {
    const messages: ChatMessage[] = [
      ...ask,
      { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "get_weather", arguments: {} }] },
      { role: "tool", toolCallId: "c1", content: "rain" },
    ];
    const { body, lines } = await arrives({
      modelId: "claude-haiku-4-5",
      messages,
      options: { tools: [weather], ...reasoning() },
    });

    expect(body).not.toHaveProperty("thinking");
    expect(lines).toHaveLength(1);
  });

  it.each([
    ["claude-3-opus-20240229", 4096],
    ["claude-opus-4-1-20250805", 16_384],
    ["claude-mythos-5-2", 16_384],
  ])("allows %s an answer of at most %i tokens when it is not requested", async (modelId, most) => {
    expect((await arrives({ modelId })).body).toMatchObject({ max_tokens: most });
  });
});

describe("the form of the answer", () => {
  const systemOf = ({ body }: Awaited<ReturnType<typeof arrives>>) =>
    (body?.["system"] as [{ text: string }] | undefined)?.[0].text;
  const format = (schema: Record<string, unknown>): ModelOptions => ({
    responseFormat: { type: "json_schema", schema },
  });
  const umbrella = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { needed: { type: "boolean" }, count: { type: "integer", minimum: 1 } },
    required: ["needed"],
  };

  it("is kept to by the vendor, with limits as words [model-config.format-schema]", async () => {
    const { body } = await arrives({ options: { ...format(umbrella), reasoning: { enabled: true, effort: "low" } } });

    expect(body?.["output_config"]).toEqual({
      effort: "low",
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { needed: { type: "boolean" }, count: { type: "integer", description: "{minimum: 1}" } },
          required: ["needed"],
          additionalProperties: false,
        },
      },
    });
    expect(body).not.toHaveProperty("system");
  });

  it("stands in the instructions where the vendor cannot keep to it", async () => {
    const record = { type: "object", additionalProperties: { type: "number" } };
    const open = await arrives({
      messages: [{ role: "system", content: "Be short." }, ...ask],
      options: format(record),
    });
    const elder = await arrives({ modelId: "claude-opus-4-1", options: format(umbrella) });

    expect(systemOf(open)).toMatch(/^Be short\.\n\nAnswer with one JSON value and nothing else.*"number"/s);
    expect(systemOf(elder)).toContain('"needed"');
    for (const { body, lines } of [open, elder]) {
      expect(body).not.toHaveProperty("output_config");
      expect(lines).toHaveLength(1);
    }
  });

  it("may be any JSON [model-config.format-json] or text [model-config.format-text]", async () => {
    const json = await arrives({ options: { responseFormat: "json" } });
    const text = await arrives({ options: { responseFormat: "text" } });

    expect(systemOf(json)).toMatch(/one JSON value and nothing else/);
    expect(text.body).not.toHaveProperty("system");
  });
});

it("toRequest takes its rules from the options where they say otherwise", async () => {
  const rules = { sampling: true, thinking: "none", maxOutputTokens: 900 } as const;
  const { body } = await arrives({
    modelId: "claude-3-gateway",
    options: { temperature: 0.5, reasoning: { enabled: true } },
    provider: { rules },
  });

  expect(body).toMatchObject({ temperature: 0.5, max_tokens: 900 });
  expect(body).not.toHaveProperty("thinking");
});
