import { describe, expect, it } from "vitest";
import { post, serveHttp } from "../../test/serve-http.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

type Reply = { result: Record<string, unknown>; error: { code: number; message: string } };

async function ask(url: string, method: string, params: object = {}): Promise<Reply> {
  const response = await post(url, method, { params });
  const text = await response.text();
  const json = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  return JSON.parse(json) as Reply;
}

const named: McpServerOptions = { name: "own", version: "2.1.0", instructions: "Ask kindly." };

describe("a server of runnables alone", () => {
  it("tells who it is and what it has, for a minute and for its client alone", async () => {
    const { url } = await serveHttp(named);
    const { result } = await ask(url, "server/discover");
    expect(result).toEqual({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      instructions: "Ask kindly.",
      resultType: "complete",
      ttlMs: 60_000,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "own", version: "2.1.0" } },
    });
  });

  it("lists its tools, for a minute and for its client alone, each time the same", async () => {
    const { url } = await serveHttp();
    const { result } = await ask(url, "tools/list");
    expect(result).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
    expect((result["tools"] as { name: string }[]).map(({ name }) => name)).toEqual([
      "ask_helper",
      "ask_typed",
      "run_flow",
    ]);
    expect((await ask(url, "tools/list")).result).toEqual(result);
  });

  it("has no instructions where the host gives none", async () => {
    const { url } = await serveHttp();
    expect((await ask(url, "server/discover")).result).not.toHaveProperty("instructions");
  });

  it.each([
    ["nobody", '"nobody"'],
    ["toString", '"toString"'],
    ["x".repeat(64), `"${"x".repeat(64)}"`],
    ["x".repeat(65), `"${"x".repeat(64)}"`],
  ])("refuses a tool that is not there, by the first 64 characters of its name: %s", async (name, shown) => {
    const { url } = await serveHttp();
    const { error } = await ask(url, "tools/call", { name, arguments: {} });
    expect([error.code, error.message]).toEqual([-32602, `Tool ${shown} not found.`]);
  });

  it("takes a call without arguments for one with none", async () => {
    const { url } = await serveHttp();
    const { result } = await ask(url, "tools/call", { name: "ask_helper" });
    expect(result).toMatchObject({ isError: true });
  });
});

describe("a server to which the host adds its own", () => {
  it("lists its tools before those of the host, with the same facts as without", async () => {
    const plain = await serveHttp(named);
    const extended = await serveHttp({
      ...named,
      extend: (mcp) => void mcp.registerTool("own", { description: "Own." }, () => ({ content: [] })),
    });
    const toolsOf = async (url: string) => (await ask(url, "tools/list")).result["tools"] as { name: string }[];
    const tools = await toolsOf(extended.url);
    expect(tools.map(({ name }) => name)).toEqual(["ask_helper", "ask_typed", "run_flow", "own"]);
    const facts = (listed: object[]) =>
      listed.map((tool) => {
        const { name, description, annotations, execution, inputSchema, outputSchema } = tool as Record<
          string,
          unknown
        >;
        return { name, description, annotations, execution, inputSchema, outputSchema };
      });
    expect(facts(tools.slice(0, 3))).toEqual(facts(await toolsOf(plain.url)));
    expect((await ask(extended.url, "server/discover")).result).toMatchObject({ instructions: "Ask kindly." });
  });

  it.each([
    [undefined, {}],
    [{ userId: "ada" }, { userId: "ada" }],
    [
      { userId: "ada", tenantId: "t" },
      { userId: "ada", tenantId: "t" },
    ],
  ])("tells the host whom a server is for: %j", async (principal, whom) => {
    const given: object[] = [];
    const { url } = await serveHttp(
      {
        extend: (_mcp, { library: _library, sealState, callTool, ...rest }) => {
          given.push({ ...rest, has: [typeof sealState, typeof callTool] });
        },
      },
      [(request, _response, next) => (Object.assign(request, { principal }), next())],
    );
    await ask(url, "tools/list");
    expect(given).toEqual([{ ...whom, has: ["function", "function"] }]);
  });

  it("has an empty list of tools without any", async () => {
    const { url } = await serveHttp({ agents: {}, workflows: {}, extend: () => undefined });
    expect((await ask(url, "tools/list")).result["tools"]).toEqual([]);
  });

  it("serves no client whose server the host could not make, and logs why", async () => {
    const { url, lines } = await serveHttp({
      extend: async () => await Promise.reject(new Error("No database.")),
    });
    const { error } = await ask(url, "tools/list");
    expect(error.message).not.toContain("database");
    const logged = lines.filter((line) => line.includes("The option extend has thrown: its clients are not served."));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("No database.");
  });
});
