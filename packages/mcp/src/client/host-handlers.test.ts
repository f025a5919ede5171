import { createLogger } from "@troupe/core";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { capabilitiesOf, hasHandlers, installHandlers } from "./host-handlers.ts";
import type { McpHandlers } from "./host-handlers.ts";

type Handle = (request: { params: object }, context: object) => Promise<unknown>;

/** The handlers that were installed by method, and the warnings of the log. */
function install(handlers: McpHandlers) {
  const installed: Record<string, Handle> = {};
  const warn = vi.fn<(message: string, fields?: unknown) => void>();
  const client = { setRequestHandler: (method: string, handle: Handle) => void (installed[method] = handle) };
  installHandlers(client as unknown as Client, handlers, { ...createLogger(), warn });
  const { signal } = new AbortController();
  const ask = async (method: string, params: object) => await installed[method]?.({ params }, { mcpReq: { signal } });
  return { installed, warn, signal, ask };
}

const onElicitation = vi.fn<NonNullable<McpHandlers["onElicitation"]>>(() => ({ action: "decline" }));
const onSampling = vi.fn<NonNullable<McpHandlers["onSampling"]>>(() => ({ text: "Hi.", model: "m1" }));

describe("the handlers of a host", () => {
  const elicitation = { form: { applyDefaults: true }, url: {} };

  it.each<[string, McpHandlers, object, string[]]>([
    ["none", {}, {}, []],
    ["none that is undefined", { onElicitation: undefined, onSampling: undefined }, {}, []],
    ["onElicitation", { onElicitation }, { elicitation }, ["elicitation/create"]],
    ["onSampling", { onSampling }, { sampling: {} }, ["sampling/createMessage"]],
    [
      "both",
      { onElicitation, onSampling },
      { elicitation, sampling: {} },
      ["elicitation/create", "sampling/createMessage"],
    ],
  ])("are what a client declares and answers: %s", (...[, handlers, capabilities, methods]) => {
    expect(capabilitiesOf(handlers)).toStrictEqual(capabilities);
    expect(hasHandlers(handlers)).toBe(methods.length > 0);
    expect(Object.keys(install(handlers).installed)).toEqual(methods);
  });

  it.each([
    ["elicitation/create", "onElicitation", { mode: "form", message: "Who?" }],
    ["sampling/createMessage", "onSampling", { messages: [], maxTokens: 5 }],
  ])(
    "the handlers of a host that fail tell the server of %s no more than that, and the log why",
    async (method, name, params) => {
      const error = new Error("secret");
      for (const fail of [
        () => {
          throw error;
        },
        async () => await Promise.reject(error),
      ]) {
        const { ask, warn } = install({ [name]: fail });
        await expect(ask(method, params)).rejects.toThrow(/^The host could not answer\.$/);
        expect(warn.mock.calls).toEqual([[`The handler ${name} failed.`, { error }]]);
      }
    },
  );
});

describe("a question to the user", () => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };

  it.each([
    [
      { mode: "form", message: "Who?", requestedSchema, more: 1 },
      { mode: "form", message: "Who?", schema: requestedSchema },
    ],
    [
      { message: "Who?", requestedSchema },
      { mode: "form", message: "Who?", schema: requestedSchema },
    ],
    [
      { mode: "url", message: "Look.", url: "https://a.example", elicitationId: "e1" },
      { mode: "url", message: "Look.", url: "https://a.example" },
    ],
  ])("a question to the user of %j is given to the host as %j, and answered as it says", async (params, request) => {
    onElicitation.mockClear();
    const { ask, signal } = install({ onElicitation });
    expect(await ask("elicitation/create", params)).toStrictEqual({ action: "decline" });
    expect(onElicitation.mock.calls).toStrictEqual([[request, signal]]);
  });
});

describe("a request for a model", () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  const text = (value: string) => ({ type: "text", text: value });

  it("has the messages with their parts, and what else the server asks for", async () => {
    onSampling.mockClear();
    const { ask, signal } = install({ onSampling });
    const messages = [
      { role: "user", content: text("Who?") },
      { role: "assistant", content: [text("Ada."), image, { type: "tool_use", id: "1" }] },
    ];
    const answer = await ask("sampling/createMessage", {
      messages,
      maxTokens: 5,
      systemPrompt: "",
      temperature: 0,
      stopSequences: [],
      modelPreferences: {},
    });
    expect(answer).toStrictEqual({ role: "assistant", content: text("Hi."), model: "m1", stopReason: "endTurn" });
    const request = {
      messages: [
        { role: "user", content: [text("Who?")] },
        { role: "assistant", content: [text("Ada."), image, text("[content of an unknown type was left out]")] },
      ],
      maxTokens: 5,
      systemPrompt: "",
      temperature: 0,
      stopSequences: [],
    };
    expect(onSampling.mock.calls).toStrictEqual([[request, signal]]);
  });

  it("has nothing that the server did not ask for", async () => {
    onSampling.mockClear();
    await install({ onSampling }).ask("sampling/createMessage", { messages: [], maxTokens: 5 });
    expect(onSampling.mock.calls[0]?.[0]).toStrictEqual({ messages: [], maxTokens: 5 });
  });
});
