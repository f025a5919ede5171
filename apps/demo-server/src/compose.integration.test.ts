import { readFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "./settings.ts";
import { RunReader } from "./test/run-reader.ts";
import { DemoServers, post } from "./test/start-demo.ts";

const root = join(import.meta.dirname, "../../..");
const compose = readFileSync(join(root, "compose.yaml"), "utf8");
const guide = readFileSync(join(root, "docs/guide/deploying.md"), "utf8");

const tracesGuide = readFileSync(join(root, "docs/guide/traces-and-metrics.md"), "utf8");

const hasPostgres = (process.env["TROUPE_TEST_POSTGRES_URL"] ?? "") !== "" && PostgresServer.isInstalled();

/** Returns the environment of the nodes in compose.yaml, with a value for each variable that it takes from its caller. */
function nodeEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  const block = /^x-node:[\s\S]*?\n {2}environment:\n((?: {4}.*\n)+)/m.exec(compose)?.[1] ?? "";
  const lines = [...block.matchAll(/^ {4}(\w+): "?(.*?)"?$/gm)];
  const filled = (value: string): string =>
    value.replace(/\$\{(\w+):[-?][^}]*\}/g, (_, name: string) => given[name] ?? "");
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, filled(value)]));
}

/** Returns the servers among which the proxy of compose.yaml distributes requests. */
function upstreamOf(name: string): string[] {
  const block = new RegExp(String.raw`upstream ${name} \{([^}]*)\}`).exec(compose)?.[1] ?? "";
  return [...block.matchAll(/server ([\w-]+:\d+)/g)].map(([, server = ""]) => server);
}

/** A proxy that sends each request to the next server, and to another one when that does not take the connection. */
async function startProxy(targets: readonly string[]): Promise<{ url: string; server: Server }> {
  let next = 0;
  const pass = (request: IncomingMessage, response: ServerResponse, tries: number): void => {
    const target = new URL(targets[next++ % targets.length] ?? "");
    const { method, headers, url } = request;
    const passed = send({ host: target.hostname, port: target.port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    passed.on("error", () => {
      if (response.headersSent) response.destroy();
      else if (tries > 0 && method === "GET") pass(request, response, tries - 1);
      else response.writeHead(502).end();
    });
    request.pipe(passed);
  };
  const server = createServer((request, response) => pass(request, response, targets.length - 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("compose.yaml", () => {
  it("sets variables that the demo server knows, and sends requests to its two nodes", () => {
    const environment = nodeEnvironment({ TROUPE_DEMO_SEAL_KEY: "s".repeat(32) });
    const settings = readSettings(environment);

    expect(Object.keys(environment)).toEqual(expect.arrayContaining(["DATABASE_URL", "TROUPE_DEMO_SEAL_KEY"]));
    expect(settings).toMatchObject({ sealKey: "s".repeat(32), choice: { engine: { kind: "postgres" } } });
    const nodes = [...compose.matchAll(/^ {2}(node-\d): \*node$/gm)].map(([, name = ""]) => name);
    expect(nodes).toEqual(["node-1", "node-2"]);
    for (const name of ["any_node", "same_node"])
      expect(upstreamOf(name)).toEqual(nodes.map((node) => `${node}:${settings.address.port}`));
  });

  it("has a collector in a profile of its own, which sends what it receives to the parts of that profile", () => {
    const profiled = [...compose.matchAll(/^ {2}(\w+):\n {4}image: .+\n {4}profiles: \[traces\]$/gm)];
    const names = profiled.map(([, name]) => name);
    const config = /^ {2}collector:\n {4}content: \|\n((?: {6}.*\n)+)/m.exec(compose)?.[1] ?? "";
    const defined = (part: string): string[] =>
      [...(new RegExp(`^ {6}${part}:\\n((?: {8}.*\\n)+)`, "m").exec(config)?.[1] ?? "").matchAll(/^ {8}(\w+):/gm)].map(
        ([, name = ""]) => name,
      );
    const used = (part: string): string[] =>
      [...config.matchAll(new RegExp(String.raw`${part}: \[(.*?)\]`, "g"))].flatMap(([, list = ""]) =>
        list.split(", "),
      );

    expect(names).toEqual(["collector", "phoenix"]);
    for (const part of ["receivers", "processors", "exporters"])
      expect([...new Set(used(part))].toSorted(), part).toEqual(defined(part).toSorted());
    // What the collector listens on is published, to this machine alone.
    const listens = [...config.matchAll(/0\.0\.0\.0:(\d+)/g)].map(([, port = ""]) => port);
    for (const port of listens) expect(compose).toContain(`"127.0.0.1:${port}:${port}"`);
    expect(listens.toSorted()).toEqual(["4318", "9464"]);
    expect(config).toContain("http://phoenix:6006");
    // The guide names these ports, and that at which Phoenix shows traces.
    expect(compose).toContain('"127.0.0.1:6006:6006"');
    const profile = /^\[compose\.yaml\].*--profile traces.*$/m.exec(tracesGuide)?.[0] ?? "";
    const ports = [...profile.matchAll(/(?:port |localhost:)(\d+)/g)].map(([, port = ""]) => port);
    expect(ports.toSorted()).toEqual([...listens, "6006"].toSorted());
    expect(profile).toContain(`docker compose --profile traces up ${names.join(" ")}`);
  });

  it("compose.yaml, and its guide name no variable of the demo that the demo does not know", () => {
    const named = [...`${guide}${compose}`.matchAll(/TROUPE_DEMO_\w+/g)].map(([name]) => name);

    expect(named.length).toBeGreaterThan(4);
    for (const name of named) expect(() => readSettings({ [name]: "x".repeat(32) })).not.toThrow(/Unknown variable/);
  });

  it.skipIf(!hasPostgres)(
    "has an environment with which two processes behind a proxy finish a run, also when one is killed",
    async () => {
      const database = await PostgresServer.create();
      const servers = new DemoServers();
      onTestFinished(async () => {
        await servers.dispose();
        await database.close();
      });
      const environment = nodeEnvironment({ TROUPE_DEMO_SEAL_KEY: "a secret of the test, long enough for it" });
      const local = {
        HOST: "127.0.0.1",
        PORT: "0",
        DATABASE_URL: database.url,
        TROUPE_DEMO_DATA: join(servers.folder, "node"),
      };
      const nodes = await Promise.all(
        upstreamOf("any_node").map(async () => await servers.start({ ...environment, ...local })),
      );
      const proxy = await startProxy(nodes.map(({ url }) => url));
      onTestFinished(() => void proxy.server.close());
      for (const { said } of nodes) expect(said).toContain("shared by all servers on");

      const asked = await fetch(
        `${proxy.url}/agents/assistant/run`,
        post({ input: "Count to 100" }, { prefer: "respond-async" }),
      );
      const { runId } = (await asked.json()) as { runId: string };
      const events = `${proxy.url}/runs/${runId}/events?events=all`;
      const reader = new RunReader();
      for (const seen of ["5", "10", "15"])
        await reader.read(await fetch(events, { headers: reader.position }), () =>
          reader.text.split(" ").includes(seen),
        );
      const { node = "" } = (await (await fetch(`${proxy.url}/runs/${runId}`)).json()) as { node?: string };
      const performs = nodes.find(({ said }) => said.includes(` ${node}\n`));
      expect(performs).toBeDefined();
      performs?.child.kill("SIGKILL");
      await performs?.exit;
      await reader.read(await fetch(events, { headers: reader.position }));

      expect(reader.last).toMatchObject({ type: "finish", finishReason: "stop" });
      expect(reader.text).toBe(Array.from({ length: 100 }, (_, index) => index + 1).join(" "));
    },
    240_000,
  );
});
