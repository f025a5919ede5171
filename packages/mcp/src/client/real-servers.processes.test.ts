import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { programOf, startEverything } from "../../test/everything.ts";
import { callContext, callTool, stdioServer } from "../../test/start.ts";
import { McpToolServer } from "./mcp-tool-server.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function kept(server: McpToolServer): McpToolServer {
  ends.push(async () => await server.close());
  return server;
}

async function startKept(...args: Parameters<typeof startEverything>) {
  const started = await startEverything(...args);
  ends.push(async () => await started.end());
  return started;
}

async function connectTo(kind: string): Promise<McpToolServer> {
  if (kind === "stdio") {
    return kept(new McpToolServer({ name: "all", transport: "stdio", ...programOf("everything", "stdio") }));
  }
  const { url } = await startKept(kind === "sse" ? "sse" : "streamableHttp");
  return kept(new McpToolServer({ name: "all", transport: "http", url }));
}

describe.each(["stdio", "streamableHttp", "sse"])("the server everything over %s", (kind) => {
  it("gives text, structured content, an image, links, a resource, progress and errors", async () => {
    const tools = await (await connectTo(kind)).getTools();
    const say = async (name: string, args = {}, context = callContext()) =>
      await callTool(tools, `all__${name}`, { args, context });
    const context = callContext();

    expect(tools).toHaveLength(13);
    expect(await say("echo", { message: "hi" })).toBe("Echo: hi");
    expect(await say("get-structured-content", { location: "New York" })).toEqual({
      content: expect.stringContaining('"temperature":33'),
      artifacts: [{ type: "structured_content", data: { temperature: 33, conditions: "Cloudy", humidity: 82 } }],
    });
    expect(await say("get-tiny-image")).toEqual([
      { type: "text", text: expect.any(String) },
      { type: "image", data: expect.stringMatching(/^iVBOR/), mimeType: "image/png" },
      { type: "text", text: expect.any(String) },
    ]);
    expect(await say("get-resource-links", { count: 1 })).toMatchObject({
      artifacts: [{ type: "resource_link", data: { uri: "demo://resource/dynamic/blob/1" }, mimeType: "text/plain" }],
    });
    expect(await say("get-resource-reference", { resourceType: "Text", resourceId: 1 })).toEqual(
      expect.stringContaining("This is a plaintext resource"),
    );
    await say("trigger-long-running-operation", { duration: 0.1, steps: 2 }, context);
    expect(context.reported.slice(0, 1)).toEqual([{ progress: 1, total: 2 }]);
    await expect(say("echo", {})).rejects.toThrow("Invalid arguments for tool echo");
  });
});

describe("other servers from npm", () => {
  it("filesystem reads a file, and refuses one outside of its folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-"));
    ends.push(async () => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "notes.txt"), "Buy tea.");
    const server = kept(
      new McpToolServer({
        name: "files",
        transport: "stdio",
        ...programOf("filesystem", folder),
        trustAnnotations: true,
      }),
    );
    const tools = await server.getTools();

    expect(tools).toHaveLength(14);
    expect(tools.find(({ name }) => name === "files__read_text_file")?.effect).toBe("pure");
    expect(await callTool(tools, "files__read_text_file", { args: { path: join(folder, "notes.txt") } })).toMatchObject(
      {
        content: "Buy tea.",
      },
    );
    await expect(callTool(tools, "files__read_text_file", { args: { path: "/etc/passwd" } })).rejects.toThrow(
      "Access denied",
    );
  });

  it("memory keeps a graph, and sequential-thinking counts thoughts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-"));
    ends.push(async () => rmSync(folder, { recursive: true }));
    const env = { MEMORY_FILE_PATH: join(folder, "graph.jsonl") };
    const memory = kept(new McpToolServer({ name: "memory", transport: "stdio", env, ...programOf("memory") }));
    const tools = await memory.getTools();
    const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
    await callTool(tools, "memory__create_entities", { args: { entities } });
    expect(JSON.stringify(await callTool(tools, "memory__read_graph"))).toContain("likes tea");

    const thinking = kept(
      new McpToolServer({ name: "thinking", transport: "stdio", ...programOf("sequential-thinking") }),
    );
    const args = { thought: "One.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
    const said = await callTool(await thinking.getTools(), "thinking__sequentialthinking", { args });
    expect(JSON.stringify(said)).toContain("thoughtHistoryLength");
  });
});

describe("the server everything with handlers of the host", () => {
  it("asks the user and calls the host's model", async () => {
    const asked: unknown[] = [];
    const server = kept(
      new McpToolServer({
        name: "all",
        transport: "stdio",
        ...programOf("everything", "stdio"),
        onElicitation: (request) => {
          asked.push(request.mode);
          return { action: "accept", content: { name: "Ada" } };
        },
        onSampling: ({ messages, maxTokens }) => {
          asked.push([maxTokens, messages.map(({ role }) => role)]);
          return { text: "A short answer.", model: "our-model" };
        },
      }),
    );
    const tools = await server.getTools();
    const elicited = await callTool(tools, "all__trigger-elicitation-request");
    const sampled = await callTool(tools, "all__trigger-sampling-request", { args: { prompt: "Hi", maxTokens: 10 } });

    expect(JSON.stringify(elicited)).toContain("Ada");
    expect(JSON.stringify(sampled)).toContain("A short answer.");
    expect(asked).toEqual(["form", [10, ["user"]]]);
  });
});

describe("a real server that is killed, hangs or restarts", () => {
  it("is connected to again after it was killed and started anew over HTTP", async () => {
    const first = await startKept();
    const server = kept(new McpToolServer({ name: "all", transport: "http", url: first.url }));
    const tools = await server.getTools();
    const context = callContext();
    const running = callTool(tools, "all__trigger-long-running-operation", {
      args: { duration: 60, steps: 100 },
      context,
    });
    const failure = running.then(
      () => "ended",
      (error: unknown) => error,
    );
    await expect.poll(() => context.reported.length).toBeGreaterThan(0);
    await first.end();
    expect(await failure).toMatchObject({ code: "unavailable" });

    await startKept("streamableHttp", Number(new URL(first.url).port));
    const again = async () => await callTool(tools, "all__echo", { args: { message: "hi" } }).catch(() => "down");
    await expect.poll(again).toBe("Echo: hi");
  });

  it("is restarted between two calls without any that fails", async () => {
    const first = await startKept();
    const server = kept(new McpToolServer({ name: "all", transport: "http", url: first.url }));
    const tools = await server.getTools();
    await first.end();
    await startKept("streamableHttp", Number(new URL(first.url).port));

    expect(await callTool(tools, "all__echo", { args: { message: "hi" } })).toBe("Echo: hi");
  });

  it("is ended and started again after a call that it did not answer in time", async () => {
    const server = kept(stdioServer({ timeoutMs: 1000 }));
    const tools = await server.getTools();
    const pid = Number(await callTool(tools, "box__pid"));
    process.kill(pid, "SIGSTOP");
    await expect(callTool(tools, "box__pid")).rejects.toMatchObject({ code: "timeout" });

    // A slow machine may need more than one attempt to start a process within the time of a call.
    await expect.poll(async () => await callTool(tools, "box__pid").catch(() => pid)).not.toBe(pid);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("is killed by close when it ignores the end of its input and SIGTERM", async () => {
    const server = stdioServer({ mode: "stubborn" });
    const pid = Number(await callTool(await server.getTools(), "box__pid"));
    await server.close();

    expect(isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
