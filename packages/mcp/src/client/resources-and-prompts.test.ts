import { fileURLToPath } from "node:url";
import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { startModernServer } from "../../test/modern-server.ts";
import { callTool, startFixtureHttp } from "../../test/start.ts";
import { startTwoErasServer } from "../../test/two-eras-server.ts";
import { McpToolServer } from "./mcp-tool-server.ts";
import type { McpElicitation } from "./host-handlers.ts";
import type { McpToolServerOptions } from "./mcp-options.ts";

const opened: { close(): Promise<void> }[] = [];

function kept<Value extends { close(): Promise<void> }>(value: Value): Value {
  opened.push(value);
  return value;
}

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

async function connectModern(options: Partial<McpToolServerOptions> = {}) {
  const { url, revisions } = kept(await startModernServer());
  return { server: kept(new McpToolServer({ name: "web", transport: "http", url, ...options })), revisions };
}

describe.each([
  ["auto", "2026-07-28"],
  ["2026-07-28", "2026-07-28"],
  ["legacy", "2025-11-25"],
] as const)("a server that speaks both eras, with protocol %s", (protocol, revision) => {
  it(`is spoken to in the revision ${revision} [mcp.protocol]`, async () => {
    const { server, revisions } = await connectModern({ protocol });
    const tools = await server.getTools();

    expect(await callTool(tools, "web__hello")).toBe("hello");
    expect(revisions).toContain(revision);
  });

  it("lists its resources and reads them as content parts [mcp.resources]", async () => {
    const { server } = await connectModern({ protocol });

    expect(await server.resources()).toEqual([
      { uri: "note://tea", name: "note", title: "A note", mimeType: "text/plain" },
      { uri: "note://dot.png", name: "dot", mimeType: "image/png" },
      { uri: "note://papers/one.pdf", name: "paper", mimeType: "application/pdf" },
    ]);
    expect(await server.readResource("note://tea")).toEqual([{ type: "text", text: "Buy tea." }]);
    expect(await server.readResource("note://dot.png")).toEqual([
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ]);
    expect(await server.readResource("note://papers/one.pdf")).toEqual([
      { type: "file", data: "JVBERi0=", mimeType: "application/pdf", filename: "one.pdf" },
    ]);
    await expect(server.readResource("note://nothing")).rejects.toMatchObject({ code: "invalid_request" });
    expect(await server.resourceTemplates()).toEqual([
      { uriTemplate: "note://days/{day}", name: "day", title: "A day" },
    ]);
    expect(await server.readResource("note://days/monday")).toEqual([{ type: "text", text: "A day." }]);
  });

  it("gets no folders of the host, as the protocol says [mcp.roots]", async () => {
    const { server } = await connectModern({ protocol, onElicitation: () => ({ action: "decline" }) });

    await expect(callTool(await server.getTools(), "web__roots")).rejects.toMatchObject({ code: expect.any(String) });
  });

  it("gives the host artifacts up to maxArtifactBytes, and says what was left out [mcp.bounded]", async () => {
    const { server } = await connectModern({ protocol, maxArtifactBytes: 1000 });

    expect(await callTool(await server.getTools(), "web__large")).toMatchObject({
      content: expect.stringContaining("Here.") as string,
      artifacts: [
        { type: "left_out", data: { type: "resource", bytes: expect.any(Number) as number } },
        { type: "resource_link", data: { uri: "note://tea", name: "tea" } },
      ],
    });
  });

  it("lists its prompts and fills them in [mcp.prompts]", async () => {
    const { server } = await connectModern({ protocol });

    expect(await server.prompts()).toEqual([{ name: "greet", description: "Greets", arguments: [] }]);
    expect(await server.getPrompt("greet")).toEqual({
      messages: [{ role: "user", content: [{ type: "text", text: "Say hello." }] }],
    });
    await expect(server.getPrompt("nothing")).rejects.toMatchObject({ code: "invalid_request" });
  });
});

it.each([undefined, "auto", "2026-07-28"] as const)(
  "a program that refuses initialize is spoken to in the revision of 2026-07-28, with protocol %s [mcp.protocol]",
  async (protocol) => {
    const args = [
      "--disable-warning=ExperimentalWarning",
      fileURLToPath(new URL("../../test/modern-stdio.ts", import.meta.url)),
    ];
    const server = kept(
      new McpToolServer({ name: "web", transport: "stdio", command: process.execPath, args, protocol }),
    );

    expect(await callTool(await server.getTools(), "web__hello")).toBe("hello");
  },
);

describe("the resources of a server", () => {
  it("are given to a run as parts of its input [mcp.resources]", async () => {
    const { server } = await connectModern();
    const model = new ScriptedModel("Tea.");
    const agent = new Agent({ name: "a", model });
    await agent.run([{ type: "text", text: "What do I buy?" }, ...(await server.readResource("note://tea"))]);

    expect(JSON.stringify(model.calls[0]?.messages)).toContain("Buy tea.");
  });

  it("the resources of a server, and its prompts are none where the server has none [mcp.resources] [mcp.prompts]", async () => {
    const fixture = kept(await startFixtureHttp());
    const server = kept(new McpToolServer({ name: "box", transport: "http", url: fixture.url }));

    expect([await server.resources(), await server.prompts()]).toEqual([[], []]);
    expect(await server.resourceTemplates()).toEqual([]);
  });
});

describe("a server that asks the user", () => {
  it("gets the answer of onElicitation, with the defaults of its schema [mcp.elicitation]", async () => {
    const asked: McpElicitation[] = [];
    const { server } = await connectModern({
      onElicitation: (request) => {
        asked.push(request);
        return { action: "accept", content: { name: "Ada" } };
      },
    });

    expect(await callTool(await server.getTools(), "web__ask")).toBe("Hello, Dr Ada.");
    expect(asked).toMatchObject([{ mode: "form", message: "Who are you?", schema: { type: "object" } }]);
  });

  it("gets a refusal where the user declines [mcp.elicitation]", async () => {
    const { server } = await connectModern({ onElicitation: () => ({ action: "decline" }) });

    expect(await callTool(await server.getTools(), "web__ask")).toBe("Nobody, then.");
  });

  it("is told of a handler that fails no more than that [mcp.elicitation]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
    const sent: string[] = [];
    const { server } = await connectModern({
      logger,
      fetch: async (url, init) => {
        sent.push(typeof init?.body === "string" ? init.body : "");
        return await fetch(url, init);
      },
      onElicitation: () => {
        throw new Error("The database of users is down.");
      },
    });

    await expect(callTool(await server.getTools(), "web__ask")).rejects.toMatchObject({ code: expect.any(String) });
    expect(lines.join("\n")).toContain("The handler onElicitation failed.");
    expect(sent.join("\n")).not.toContain("database");
  });

  it("is refused without a handler, as the protocol says [mcp.elicitation]", async () => {
    const { server } = await connectModern();

    await expect(callTool(await server.getTools(), "web__ask")).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is called in a session where a tool of it cannot ask by the stateless revision, and later at once [mcp.elicitation]", async () => {
    const { server, fixture } = await connectTwoEras();
    const tools = await server.getTools();

    expect(await callTool(tools, "web__greet")).toBe("Hello Ada");
    expect(await callTool(tools, "web__greet")).toBe("Hello Ada");
    expect(await callTool(tools, "web__guard")).toBe("Guarded Ada");
    expect(fixture.calls).toEqual(["greet 2026", "greet 2025", "greet 2025", "guard 2026", "guard 2026"]);
  });

  it("gets no second call where the host answers no questions, or wants one revision [mcp.elicitation]", async () => {
    for (const options of [{ onElicitation: undefined }, { protocol: "2026-07-28" as const }]) {
      const { server, fixture } = await connectTwoEras(options);

      await expect(callTool(await server.getTools(), "web__greet")).rejects.toThrow("server-initiated requests");
      expect(fixture.calls).toEqual(["greet 2026"]);
    }
  });
});

async function connectTwoEras(options: Partial<McpToolServerOptions> = {}) {
  const fixture = kept(await startTwoErasServer());
  const onElicitation = () => ({ action: "accept" as const, content: { name: "Ada" } });
  const server = kept(
    new McpToolServer({ name: "web", transport: "http", url: fixture.url, onElicitation, ...options }),
  );
  return { server, fixture };
}
