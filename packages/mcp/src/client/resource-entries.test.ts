import { beforeAll, describe, expect, it } from "vitest";
import { broken, connect, initialized, never, ok, opened, status } from "../../test/connect.ts";
import { loadLibrary } from "./library.ts";
import { getPrompt, listPrompts, listResources, listResourceTemplates, readResource } from "./resources-and-prompts.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);

const options = { timeoutMs: 30_000, signal: undefined };

/** A connection to a server with resources and prompts, which gives this result to a request, and what it was asked. */
function startServer(method: string, ...results: object[]) {
  const made = connect();
  const capabilities = { resources: {}, prompts: {} };
  made.answers["initialize"] = (message) => ok(message, { ...initialized, capabilities });
  const asked: unknown[] = [];
  made.answers[method] = (message, init) => {
    const { params } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as { params?: unknown };
    return ok(message, results[Math.min(asked.push(params), results.length) - 1] ?? {});
  };
  return { ...made, asked };
}

const resource = { uri: "a://b", name: "b" };
const template = { uriTemplate: "a://{b}", name: "b" };
const prompt = { name: "p" };
const more = { title: "T", description: "D", mimeType: "x/y", icons: [], _meta: {} };
const wrong = { title: 1, description: null, mimeType: [] };
const lists = {
  resources: { method: "resources/list", field: "resources", what: "resources", list: listResources },
  templates: {
    method: "resources/templates/list",
    field: "resourceTemplates",
    what: "resource templates",
    list: listResourceTemplates,
  },
  prompts: { method: "prompts/list", field: "prompts", what: "prompts", list: listPrompts },
} as const;

describe("a list of a server", () => {
  it.each<[keyof typeof lists, object, object]>([
    ["resources", resource, resource],
    ["resources", { uri: "", name: "", title: "" }, { uri: "", name: "", title: "" }],
    [
      "resources",
      { ...resource, ...more, size: 0 },
      { ...resource, title: "T", description: "D", mimeType: "x/y", size: 0 },
    ],
    ["resources", { ...resource, ...wrong, size: "7" }, resource],
    ["templates", template, template],
    [
      "templates",
      { ...template, ...more, uri: "a://c", size: 7 },
      { ...template, title: "T", description: "D", mimeType: "x/y" },
    ],
    ["templates", { ...template, ...wrong }, template],
    ["prompts", prompt, { ...prompt, arguments: [] }],
    ["prompts", { ...prompt, ...more }, { ...prompt, title: "T", description: "D", arguments: [] }],
    ["prompts", { ...prompt, ...wrong, arguments: { name: "a" } }, { ...prompt, arguments: [] }],
    [
      "prompts",
      {
        ...prompt,
        arguments: [
          { name: "a", description: "A", required: true, title: "T" },
          { name: "", description: 7, required: "true" },
          { name: "c", required: false },
        ],
      },
      {
        ...prompt,
        arguments: [
          { name: "a", description: "A", required: true },
          { name: "", required: false },
          { name: "c", required: false },
        ],
      },
    ],
  ])("of %s has of %j what is known of it", async (kind, entry, read) => {
    const { method, field, list } = lists[kind];
    const { connection } = startServer(method, { [field]: [entry] });
    expect(await list(connection, options)).toStrictEqual([read]);
  });

  it.each<[keyof typeof lists, unknown, string]>([
    ["resources", { name: "b" }, "an entry has no uri"],
    ["resources", { uri: 7, name: "b" }, "an entry has no uri"],
    ["resources", { uri: "a://b" }, "an entry has no name"],
    ["resources", null, "an entry has no uri"],
    ["templates", { ...resource, uriTemplate: null }, "an entry has no uriTemplate"],
    ["templates", { uriTemplate: "a" }, "an entry has no name"],
    ["prompts", { title: "T" }, "an entry has no name"],
    ["prompts", { name: "p", arguments: [{ description: "D" }] }, "an entry has no name"],
    ["prompts", { name: "p", arguments: ["a"] }, "an entry has no name"],
  ])("of %s is refused where one is %j", async (kind, entry, problem) => {
    const { method, field, what, list } = lists[kind];
    const { connection } = startServer(method, { [field]: [entry] });
    await expect(list(connection, options)).rejects.toMatchObject({
      code: "unavailable",
      message: `The MCP server "box" answered the list of its ${what} in a form that the protocol does not allow: ${problem}.`,
    });
  });

  it.each(Object.keys(lists) as (keyof typeof lists)[])(
    "a list of a server of %s has all pages, and up to 10,000 entries",
    async (kind) => {
      const { method, field, what, list } = lists[kind];
      const page = (count: number) => Array.from({ length: count }, () => ({ ...resource, ...template }));
      const { connection, asked } = startServer(
        method,
        { [field]: page(9999), nextCursor: "n" },
        { [field]: page(1) },
        { [field]: page(9999), nextCursor: "n" },
        { [field]: page(2) },
      );
      expect(await list(connection, options)).toHaveLength(10_000);
      expect(asked.map((params) => (params as { cursor?: string } | undefined)?.cursor)).toEqual([undefined, "n"]);
      await expect(list(connection, options)).rejects.toThrow(
        `answered the list of its ${what} in a form that the protocol does not allow: it has more than 10000 entries.`,
      );
    },
  );

  it.each([
    ["resources", { prompts: {}, tools: {} }],
    ["templates", { prompts: {}, tools: {} }],
    ["prompts", { resources: {}, tools: {} }],
  ] as const)("a list of a server of %s is empty, unasked, without its capability", async (kind, capabilities) => {
    const { connection, answers, sent } = startServer(lists[kind].method, {});
    answers["initialize"] = (message) => ok(message, { ...initialized, capabilities });
    expect(await lists[kind].list(connection, options)).toEqual([]);
    expect(sent).toEqual(opened);
  });
});

describe("a resource", () => {
  it("is asked for by its URI, and its contents are parts", async () => {
    const contents = [{ uri: "a://b", text: "One." }, { uri: "a://b" }, { uri: "a://b", text: "Two." }];
    const { connection, asked } = startServer("resources/read", { contents });
    expect(await readResource(connection, "a://b c", options)).toStrictEqual([
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
    ]);
    expect(asked).toEqual([{ uri: "a://b c" }]);
  });

  it.each([{ contents: [] }, { contents: {} }, {}])("a resource of %j has no parts", async (result) => {
    expect(await readResource(startServer("resources/read", result).connection, "a://b", options)).toEqual([]);
  });
});

describe("a prompt", () => {
  it("is asked for by its name and arguments, and its messages have parts without secrets", async () => {
    const text = (value: string) => ({ type: "text", text: value });
    const messages = [
      { role: "user", content: text("A secret-word.") },
      { role: "assistant", content: text("Yes.") },
      { role: "system", content: [text("No part.")] },
      null,
    ];
    const { connection, asked } = startServer("prompts/get", { description: "D", messages, title: "T" });
    const unknown = [text("[content of an unknown type was left out]")];
    expect(await getPrompt(connection, { name: "p", args: { a: "", é: "1" } }, options)).toStrictEqual({
      description: "D",
      messages: [
        { role: "user", content: [text("A [redacted].")] },
        { role: "assistant", content: [text("Yes.")] },
        { role: "user", content: unknown },
        { role: "user", content: unknown },
      ],
    });
    expect(asked).toEqual([{ name: "p", arguments: { a: "", é: "1" } }]);
  });

  it.each([{ messages: [] }, { messages: {}, description: 7 }, { content: [] }])(
    "a prompt of %j is empty",
    async (result) => {
      const { connection } = startServer("prompts/get", result);
      expect(await getPrompt(connection, { name: "p", args: {} }, options)).toStrictEqual({ messages: [] });
    },
  );
});

const asks = {
  "resources/list": { what: "the list of its resources", ask: listResources },
  "resources/templates/list": { what: "the list of its resource templates", ask: listResourceTemplates },
  "resources/read": {
    what: "the reading of a resource",
    ask: async (...[connection, given]: Parameters<typeof listResources>) => await readResource(connection, "a", given),
  },
  "prompts/list": { what: "the list of its prompts", ask: listPrompts },
  "prompts/get": {
    what: "a prompt",
    ask: async (...[connection, given]: Parameters<typeof listResources>) =>
      await getPrompt(connection, { name: "p", args: {} }, given),
  },
} as const;

describe.each(Object.keys(asks) as (keyof typeof asks)[])("the question %s", (method) => {
  const { what, ask } = asks[method];
  const fields = { resources: [], resourceTemplates: [], contents: [], prompts: [], messages: [] };

  it("is named in its failures, and has its own time limit and signal", async () => {
    const { connection, answers } = startServer(method, fields);
    await connection.open();
    answers[method] = () => status(500);
    await expect(ask(connection, options)).rejects.toMatchObject({
      message: `The MCP server "box" answered ${what} with the HTTP status 500. Check its URL, and that it runs.`,
    });
    answers[method] = never;
    await expect(ask(connection, { ...options, timeoutMs: 1 })).rejects.toMatchObject({
      code: "timeout",
      message: `The MCP server "box" did not answer ${what} within 1 ms.`,
    });
    const signal = AbortSignal.abort();
    await expect(ask(connection, { ...options, signal })).rejects.toMatchObject({ code: "cancelled" });
  });

  it("is asked again where the connection was lost", async () => {
    const { connection, answers, sent } = startServer(method);
    let times = 0;
    answers[method] = (message) => (++times === 1 ? broken() : ok(message, fields));
    await ask(connection, options);
    expect(sent).toEqual([...opened, method, ...opened, method]);
  });
});
