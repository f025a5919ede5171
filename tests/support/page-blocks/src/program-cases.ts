import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";
import type { Case } from "./case.ts";
import { textOf } from "./blocks.ts";
import { inFolder } from "./run-text.ts";

const hosts = "docs/guide/mcp-hosts.md";
const traces = "docs/guide/traces-and-metrics.md";

type Program = { command: string; args: string[]; env: Record<string, string> };
type Entry = Program | { url: string; headers: Record<string, string> };

// The packages of the workspace are sources.
const env = { NODE_OPTIONS: "--conditions=@troupe/source", PATH: process.env["PATH"] ?? "" };

/** Expects that the server that a host's settings name lists the agents as tools. */
async function expectTool(entry: Entry, url: string): Promise<void> {
  const client = new Client({ name: "host", version: "1.0.0" });
  await inFolder(async (folder) => {
    if ("url" in entry) {
      const transport = new StreamableHTTPClientTransport(new URL(entry.url.replace("http://127.0.0.1:3000", url)), {
        requestInit: { headers: entry.headers },
      });
      await client.connect(transport);
    } else {
      const file = join(folder, "serve.mjs");
      await writeFile(file, programOfHosts());
      const args = entry.args.map((arg) => (arg.endsWith("/serve.mjs") ? file : arg));
      expect(entry.command).toMatch(/^(?:\/.*\/)?node$/);
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, env: { ...env, ...entry.env } }),
      );
    }
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("url" in entry ? "ask_helper" : "ask_guide");
    await client.close();
  });
}

const programOfHosts = (): string => textOf({ page: hosts, begins: "import { Agent }" });

/** Expects that each server in a field of a host's settings lists its agent as a tool. */
async function expectServers(text: string, field: string, url: string): Promise<void> {
  const servers = (JSON.parse(text) as Record<string, Record<string, Entry>>)[field] ?? {};
  expect(Object.keys(servers)).toContain("guide");
  for (const entry of Object.values(servers)) await expectTool(entry, url);
}

/** The settings of hosts, each with the field that has its servers. */
const settings = (
  [
    ['{\n  "mcpServers": {\n    "guide": {\n      "command"', "mcpServers"],
    ['{\n  "mcpServers": {\n    "guide": {\n      "url"', "mcpServers"],
    ['{\n  "inputs"', "servers"],
    ['{\n  "context_servers"', "context_servers"],
  ] as const
).map(([begins, field]) => ({
  page: hosts,
  begins,
  run: async (text: string, { url }: { url: string }) => await expectServers(text, field, url),
}));

/** The fragments that are programs or start one. */
export const programCases: readonly Case[] = [
  {
    page: hosts,
    begins: "import { Agent }",
    run: async (text, { url }) => {
      expect(text).toBe(programOfHosts());
      await expectTool({ command: "node", args: ["/serve.mjs"], env: { OPENAI_API_KEY: "none" } }, url);
    },
  },
  ...settings,
  {
    page: traces,
    begins: "OTEL_EXPORTER_OTLP_ENDPOINT",
    run: async (text) => {
      await expectTraces(text, textOf({ page: traces, begins: "// start-sdk.mjs" }));
    },
  },
  {
    page: traces,
    begins: "// start-sdk.mjs",
    run: async (text) => await expectTraces(textOf({ page: traces, begins: "OTEL_EXPORTER_OTLP_ENDPOINT" }), text),
  },
];

const tracedProgram = `
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createTelemetry } from "@troupe/otel";

const helper = new Agent({ name: "helper", model: new ScriptedModel("Hi"), telemetry: createTelemetry() });
await helper.run("Hello");
// The SDK sends spans a moment after they have ended.
setTimeout(() => process.exit(), 1000);
`;

/** Runs a command of the page with a program beside its SDK, and expects traces at the endpoint. */
async function expectTraces(command: string, startSdk: string): Promise<void> {
  const paths: string[] = [];
  const collector = createServer((request, response) => {
    paths.push(request.url ?? "");
    request.resume().on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  try {
    await inFolder(async (folder) => {
      await writeFile(join(folder, "package.json"), '{ "type": "module" }');
      await writeFile(join(folder, "start-sdk.mjs"), startSdk);
      await writeFile(join(folder, "server.js"), tracedProgram);
      const local = command.replace("http://localhost:4318", `http://127.0.0.1:${port}`);
      const variables = {
        ...env,
        OTEL_BSP_SCHEDULE_DELAY: "10",
        OTEL_METRICS_EXPORTER: "none",
        OTEL_LOGS_EXPORTER: "none",
      };
      await promisify(execFile)("bash", ["-ec", local], { cwd: folder, env: variables, timeout: 60_000 });
      expect(paths).toContain("/v1/traces");
    });
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
}
