import { createLogger, TroupeError } from "@troupe/core";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { isLetThrough, isRefusedList, listTools } from "./list-tools.ts";
import { readMcpOptions } from "./mcp-options.ts";

const settingsOf = (options: object = {}) =>
  readMcpOptions({ name: "box", transport: "http", url: "https://a.example", ...options });

type Served = { tools: unknown[]; more?: unknown[]; era?: "legacy" | "modern"; capabilities?: object | undefined };

/** Lists what a server has, in one page or two. */
async function listed(served: Served, options: object = {}) {
  const { tools, more, era = "legacy", capabilities = { tools: {} } } = served;
  const request = vi.fn<() => Promise<object>>(async () => await Promise.resolve({ tools: more ?? [] }));
  if (more !== undefined) request.mockResolvedValueOnce({ tools, nextCursor: "a" });
  else request.mockResolvedValueOnce({ tools });
  const client = { request, getServerCapabilities: () => capabilities, getProtocolEra: () => era };
  const found = await listTools(client as unknown as Client, settingsOf(options), { timeout: 7 });
  return { found, request };
}

const inputSchema = { type: "object" };
const tool = (name: unknown, more: object = {}) => ({ name, inputSchema, ...more });
const plain = (name: string, more: object = {}) => ({
  name,
  description: "",
  inputSchema,
  isReadOnly: false,
  isIdempotent: false,
  ...more,
});

describe("the tools of a server", () => {
  it.each<[string, object, object]>([
    ["no more than they need", tool("a", { icons: [], execution: {}, _meta: {} }), plain("a")],
    [
      "a description",
      tool("a", { description: "D", title: "T", annotations: { title: "O" } }),
      plain("a", { description: "D" }),
    ],
    ["an empty description", tool("a", { description: "", title: "T" }), plain("a")],
    ["a title in its place", tool("a", { title: "T", annotations: { title: "O" } }), plain("a", { description: "T" })],
    [
      "a title of before",
      tool("a", { description: 7, title: null, annotations: { title: "O" } }),
      plain("a", { description: "O" }),
    ],
    ["readOnlyHint", tool("a", { annotations: { readOnlyHint: true } }), plain("a", { isReadOnly: true })],
    ["idempotentHint", tool("a", { annotations: { idempotentHint: true } }), plain("a", { isIdempotent: true })],
    ["hints that are no true", tool("a", { annotations: { readOnlyHint: "true", idempotentHint: 1 } }), plain("a")],
    ["annotations that are null", tool("a", { annotations: null }), plain("a")],
    [
      "an output schema",
      tool("a", { outputSchema: { type: "string" } }),
      plain("a", { outputSchema: { type: "string" } }),
    ],
    ["a name of 256 characters", tool("x".repeat(256)), plain("x".repeat(256))],
  ])("have %s", async (_, given, made) => {
    expect((await listed({ tools: [given] })).found).toStrictEqual([made]);
  });

  it("are those of all pages, each name once and as it came last", async () => {
    const { found } = await listed({ tools: [tool("a"), tool("b")], more: [tool("a", { title: "T" }), tool("c")] });
    expect(found).toStrictEqual([plain("a", { description: "T" }), plain("b"), plain("c")]);
  });

  it.each([undefined, {}, { resources: {} }])(
    "are none, unasked, of a server with the capabilities %j",
    async (given) => {
      const request = vi.fn<() => never>();
      const client = { request, getServerCapabilities: () => given, getProtocolEra: () => "legacy" };
      expect(await listTools(client as unknown as Client, settingsOf(), {})).toEqual([]);
      expect(request).not.toHaveBeenCalled();
    },
  );

  it.each<[string, unknown, string]>([
    ["no name", { inputSchema }, "a tool's name is no string of 1 to 256 characters"],
    ["an empty name", tool(""), "a tool's name is no string of 1 to 256 characters"],
    ["a name that is a number", tool(7), "a tool's name is no string of 1 to 256 characters"],
    ["a name of 257 characters", tool("x".repeat(257)), "a tool's name is no string of 1 to 256 characters"],
    ["null", null, "a tool's name is no string of 1 to 256 characters"],
    ["no schema", { name: 'a"b' }, 'it has the tool "a\\"b" with an inputSchema that is no object'],
    [
      "a schema that is null",
      { name: "a", inputSchema: null },
      'it has the tool "a" with an inputSchema that is no object',
    ],
    [
      "a schema that is a list",
      { name: "a", inputSchema: [] },
      'it has the tool "a" with an inputSchema that is no object',
    ],
    [
      "a schema that is true",
      { name: "a", inputSchema: true },
      'it has the tool "a" with an inputSchema that is no object',
    ],
    [
      "an output schema that is null",
      tool("a", { outputSchema: null }),
      'it has the tool "a" with an outputSchema that is no object',
    ],
    [
      "a schema that nests too deep",
      tool("a", { outputSchema: JSON.parse(`{"a":${"[".repeat(256)}${"]".repeat(256)}}`) as object }),
      'it has the tool "a" with an outputSchema that nests too deep',
    ],
  ])("are refused where one has %s", async (_, given, message) => {
    await expect(listed({ tools: [tool("ok"), given] })).rejects.toMatchObject({ name: "BadAnswer", message });
  });

  it.each<[string, object, Served, Served, string]>([
    [
      "maxTools",
      { maxTools: 2 },
      { tools: [tool("a")], more: [tool("b")] },
      { tools: [tool("a"), tool("a")], more: [tool("a")] },
      "lists more than 2 tools. If you trust it, raise maxTools.",
    ],
    [
      "maxDescriptionBytes",
      { maxDescriptionBytes: 2 },
      { tools: [tool("a", { title: "é" })] },
      { tools: [tool("a", { annotations: { title: "é." } })] },
      'lists the tool "a" with a description of more than 2 bytes. If you trust it, raise maxDescriptionBytes, or leave the tool out by tools.deny.',
    ],
    [
      "maxSchemaBytes",
      { maxSchemaBytes: 17 },
      { tools: [tool("a", { outputSchema: { type: "string" } })] },
      { tools: [tool("a", { outputSchema: { type: "string1" } })] },
      'lists the tool "a" with an outputSchema of more than 17 bytes. If you trust it, raise maxSchemaBytes, or leave the tool out by tools.deny.',
    ],
    [
      "maxMessageBytes",
      { maxMessageBytes: 1024 },
      {
        tools: [tool("a", { title: "x".repeat(501), outputSchema: inputSchema })],
        more: [tool("b", { title: "é".repeat(236) })],
      },
      {
        tools: [tool("a", { title: "x".repeat(501), outputSchema: inputSchema })],
        more: [tool("b", { title: `${"é".repeat(236)}.` })],
      },
      "lists tools of more than 1024 bytes. If you trust it, raise maxMessageBytes.",
    ],
  ])("are all taken up to %s, and refused beyond", async (...[bound, options, within, beyond, text]) => {
    expect((await listed(within, options)).found).toHaveLength(within.more === undefined ? 1 : 2);
    const failure = await listed(beyond, options).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "unavailable",
      message: `The MCP server "box" ${text}`,
      fields: { server: "box", bound },
    });
    expect(isRefusedList(failure)).toBe(true);
  });

  it("have neither description nor schema where the host leaves them out, and no bound", async () => {
    const large = {
      description: "x".repeat(5000),
      inputSchema: [],
      outputSchema: null,
      annotations: { readOnlyHint: true },
    };
    const options = { tools: { deny: ["a"] }, maxMessageBytes: 1024 };
    const description = "x".repeat(1007);
    const { found } = await listed({ tools: [tool("a", large), tool("b", { description })] }, options);
    expect(found).toStrictEqual([plain("a", { inputSchema: {}, isReadOnly: true }), plain("b", { description })]);
    const beyond = [tool("a", large), tool("b", { description: `${description}.` })];
    await expect(listed({ tools: beyond }, options)).rejects.toMatchObject({ fields: { bound: "maxMessageBytes" } });
  });
});

describe("a tool with wrong marks for headers", () => {
  const wrong = tool("wrong", {
    inputSchema: { type: "object", properties: { a: { type: "array", "x-mcp-header": "A" } } },
  });
  const stdio = { name: "box", transport: "stdio", command: "node", url: undefined };

  it.each<[string, Served["era"], object, string[]]>([
    ["is left out over HTTP by the revision of 2026", "modern", {}, ["right"]],
    ["is kept over HTTP by an earlier one", "legacy", {}, ["wrong", "right"]],
    ["is kept over standard input and output", "modern", stdio, ["wrong", "right"]],
  ])("%s", async (...[, era, options, names]) => {
    const warn = vi.fn<(message: string, fields?: unknown) => void>();
    const logger = { ...createLogger(), warn };
    const { found } = await listed({ tools: [wrong, tool("right")], ...(era && { era }) }, { logger, ...options });
    expect(found.map(({ name }) => name)).toEqual(names);
    const said = ['A tool of the MCP server "box" has a wrong x-mcp-header.', { name: "wrong" }];
    expect(warn.mock.calls).toEqual(names.length === 1 ? [said] : []);
  });
});

it.each<[object | undefined, boolean]>([
  [undefined, true],
  [{}, true],
  [{ allow: ["a"] }, true],
  [{ allow: ["b"] }, false],
  [{ allow: [] }, false],
  [{ deny: ["a"] }, false],
  [{ deny: ["A"] }, true],
  [{ allow: ["a"], deny: ["a"] }, false],
  [{ allow: ["a"], deny: ["b"] }, true],
])("by the choice %j the tool a is let through: %s", (tools, isThrough) => {
  expect(isLetThrough("a", settingsOf({ tools }))).toBe(isThrough);
});

it("another error is no refused list", () => {
  expect(isRefusedList(new TroupeError("unavailable", "No."))).toBe(false);
  expect(isRefusedList({ fields: { bound: "maxTools" } })).toBe(false);
});
