import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { RequestContext } from "./request-context.ts";
import { contextOf } from "./test/request-context.ts";
import { toRequest } from "./to-request.ts";

const ask: ChatMessage = { role: "user", content: "Umbrella?" };
const system = (content: string): ChatMessage => ({ role: "system", content });
const contents = [{ role: "user", parts: [{ text: "Umbrella?" }] }];
const look = { name: "look", description: "Looks", parameters: { type: "object", properties: { at: {} } } };
const declared = {
  name: "look",
  description: "Looks",
  parametersJsonSchema: { type: "object", properties: { at: {} } },
};
const jsonOnly = "Answer with one JSON value and nothing else: no words around it, no code fence.";

type Case = { messages?: readonly ChatMessage[]; rules?: Partial<RequestContext["rules"]> };

/** The body of a request, and what it leaves out. */
function bodyFor(options: ModelOptions, { messages = [ask], rules = {} }: Case = {}) {
  const reports: string[] = [];
  const report = (what: string, why: string): void => void reports.push(`${what}: ${why}`);
  const { context } = contextOf(rules, { reportOmitted: report, reportReplaced: report });
  return { body: toRequest(messages, options, context), reports };
}

const configFor = (options: ModelOptions) => {
  const { body, reports } = bodyFor(options);
  return { config: body.generationConfig, reports };
};

describe("the settings of a request", () => {
  it.each<[ModelOptions, object]>([
    [{}, {}],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ topP: 0 }, { topP: 0 }],
    [{ maxTokens: 1 }, { maxOutputTokens: 1 }],
    [{ seed: 0 }, { seed: 0 }],
    [{ seed: 2_147_483_647 }, { seed: 2_147_483_647 }],
    [{ seed: -2_147_483_647 }, { seed: -2_147_483_647 }],
    [{ reasoning: { enabled: true } }, { thinkingConfig: { includeThoughts: true } }],
    [
      { responseFormat: { type: "json_schema", name: "place", schema: { type: "object", $schema: "x" } } },
      { responseMimeType: "application/json", responseJsonSchema: { type: "object" } },
    ],
    [{ responseFormat: "text" }, {}],
    [{ stop: [] }, {}],
    [{ stop: [" ", "\n"] }, { stopSequences: [" ", "\n"] }],
    [{ stop: ["1", "2", "3", "4", "5"] }, { stopSequences: ["1", "2", "3", "4", "5"] }],
  ])("for %j are %j, and nothing is left out", (options, config) => {
    expect(configFor(options)).toEqual({ config, reports: [] });
  });

  it.each([2_147_483_648, -2_147_483_648, Number.MAX_SAFE_INTEGER])("have no seed of %j, which is reported", (seed) => {
    expect(configFor({ seed, topP: 1 })).toEqual({
      config: { topP: 1 },
      reports: ["seed: the vendor takes none above 2147483647"],
    });
  });

  it.each([
    [
      ["1", "2", "3", "4", "5", "6"],
      ["1", "2", "3", "4", "5"],
    ],
    [
      ["", "1", "2", "3", "4", "5"],
      ["1", "2", "3", "4", "5"],
    ],
    [["1", ""], ["1"]],
  ])("have of the stop sequences %j those that are taken, which is reported once", (stop, stopSequences) => {
    expect(configFor({ stop })).toEqual({
      config: { stopSequences },
      reports: ["a stop sequence: the vendor takes 5 at most, and no empty one"],
    });
  });

  it("have no list of stop sequences when all are empty", () => {
    expect(configFor({ stop: [""] }).config).toEqual({});
  });

  it("leave the list of the caller as it was", () => {
    const stop = ["1", "2", "3", "4", "5", "6"];
    const given = bodyFor({ stop }).body.generationConfig.stopSequences;

    expect(given).not.toBe(stop);
    expect(stop).toHaveLength(6);
  });
});

describe("the instructions", () => {
  it("are all system messages in their order, without empty ones", () => {
    const messages = [system("Be short."), ask, system(""), system("Be kind.")];

    expect(bodyFor({}, { messages }).body).toEqual({
      contents,
      systemInstruction: { parts: [{ text: "Be short.\n\nBe kind." }] },
      generationConfig: {},
    });
  });

  it("ask for the form of the answer last, where the model takes none beside tools", () => {
    const { body, reports } = bodyFor(
      { responseFormat: "json", tools: [look] },
      { messages: [system("Be short."), ask], rules: { formatWithTools: false } },
    );

    expect(body).toEqual({
      contents,
      systemInstruction: { parts: [{ text: `Be short.\n\nWhen no tool is to be called: ${jsonOnly}` }] },
      generationConfig: {},
      tools: [{ functionDeclarations: [declared] }],
    });
    expect(reports).toEqual([
      "responseFormat: the model does not take it together with tools; the instructions ask for it instead",
    ]);
  });

  it("tell the whole schema, as it was given", () => {
    const schema = { type: "object", properties: { at: { const: 1 } } };
    const responseFormat = { type: "json_schema", schema, name: "place" } as const;
    const { body } = bodyFor({ responseFormat, tools: [look] }, { rules: { formatWithTools: false } });
    const words = `When no tool is to be called: ${jsonOnly} It must fit this JSON schema:\n${JSON.stringify(schema)}`;

    expect(body.systemInstruction).toEqual({ parts: [{ text: words }] });
  });

  it.each<[string, ModelOptions]>([
    ["no tools", { responseFormat: "json", tools: [] }],
    ["tools that the model takes beside it", { responseFormat: "json" }],
  ])("say nothing of the form with %s", (_, options) => {
    const { body, reports } = bodyFor(options, { rules: { formatWithTools: options.tools === undefined } });

    expect(body).toEqual({ contents, generationConfig: { responseMimeType: "application/json" } });
    expect(reports).toEqual([]);
  });
});

describe("the tools", () => {
  it.each<[ModelOptions["toolChoice"], object]>([
    [undefined, {}],
    ["auto", {}],
    ["none", { toolConfig: { functionCallingConfig: { mode: "NONE" } } }],
    ["required", { toolConfig: { functionCallingConfig: { mode: "ANY" } } }],
    [{ tool: "look" }, { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } } }],
  ])("come with the choice %j as %j", (toolChoice, more) => {
    const { body } = bodyFor({ tools: [look], ...(toolChoice !== undefined && { toolChoice }) });

    expect(body).toEqual({ contents, generationConfig: {}, tools: [{ functionDeclarations: [declared] }], ...more });
  });

  it("are declared in their order, each without what it lacks", () => {
    const now = { name: "now", description: "", parameters: { type: "object", properties: {} } };
    const { body } = bodyFor({ tools: [now, look] });

    expect(body.tools).toEqual([
      { functionDeclarations: [{ name: "now", parametersJsonSchema: now.parameters }, declared] },
    ]);
  });

  it.each<[ModelOptions, string[]]>([
    [{ tools: [look], parallelToolCalls: false }, ["parallelToolCalls: the vendor has no such setting"]],
    [{ tools: [look], parallelToolCalls: true }, []],
    [{ tools: [], parallelToolCalls: false }, []],
  ])("for %j report %j", (options, expected) => {
    expect(bodyFor(options).reports).toEqual(expected);
  });
});

describe("cached content", () => {
  const reason = "the cached content has its own, and the vendor takes no others";
  const cached = (google: Record<string, unknown>): ModelOptions => ({
    vendor: { google },
    tools: [look],
    toolChoice: "required",
  });

  it.each([
    [1, [`the instructions and the tools: ${reason}`]],
    [2, [`the instructions and the tools: ${reason}`, `memory and facts: ${reason}`]],
  ])(
    "cached content with %j system messages stands for instructions and tools, which is reported",
    (count, expected) => {
      const messages = [...Array.from({ length: count }, () => system("Be short.")), ask];
      const { body, reports } = bodyFor(cached({ cachedContent: "cachedContents/a" }), { messages });

      expect(body).toEqual({ contents, generationConfig: {}, cachedContent: "cachedContents/a" });
      expect(reports).toEqual(expected);
    },
  );

  it.each(["", 1, null])("is none when its name is %j", (cachedContent) => {
    const { body } = bodyFor(cached({ cachedContent }), { messages: [system("Be short."), ask] });

    expect(body).toMatchObject({ systemInstruction: {}, tools: [{}], toolConfig: {} });
  });
});

it("toRequest adds the fields of this vendor, over its own, and of no other", () => {
  const vendor = { google: { generationConfig: { topK: 3 }, labels: { a: "b" } }, vertex: { labels: {} } };
  const { body } = bodyFor({ vendor, topP: 0.5 });

  expect(body).toEqual({ contents, generationConfig: { topP: 0.5, topK: 3 }, labels: { a: "b" } });
});
