import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse as parseYaml, parseAllDocuments } from "yaml";
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import worker from "../../examples/deploy/worker.ts";

const folder = join(import.meta.dirname, "../../examples/deploy");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

type Probe = { httpGet: { path: string; port: number } };
type Container = {
  ports: [{ containerPort: number }];
  env: { name: string; value?: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe?: Probe;
};

/** A platform's settings, in the form that all of them share. Times are in seconds. */
type Settings = {
  port: number;
  env: Record<string, string | undefined>;
  /** The paths of the probes that restart the process, and of those that route requests to it. */
  restarts: string[];
  routes: string[];
  /** The time between SIGTERM and the end of the process by force. */
  killS: number;
};

const envOf = ({ env }: Container) => Object.fromEntries(env.map(({ name, value }) => [name, value]));

function readKubernetes(): Settings {
  const [deployment, service, budget] = parseAllDocuments(read("kubernetes.yaml")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as { kind: string; spec: object };
  });
  type Spec = { terminationGracePeriodSeconds: number; containers: [Container] };
  const { template } = (deployment?.spec ?? {}) as { template: { metadata: { labels: object }; spec: Spec } };
  const [container] = template.spec.containers;
  const [{ containerPort: port }] = container.ports;
  expect(service?.spec).toMatchObject({ selector: template.metadata.labels, ports: [{ targetPort: port }] });
  expect(budget?.spec).toMatchObject({ selector: { matchLabels: template.metadata.labels } });
  for (const { httpGet } of [container.startupProbe, container.livenessProbe]) expect(httpGet.port).toBe(port);
  expect(container.readinessProbe?.httpGet.port).toBe(port);
  return {
    port,
    env: { ...envOf(container) },
    restarts: [container.startupProbe.httpGet.path, container.livenessProbe.httpGet.path],
    routes: [container.readinessProbe?.httpGet.path ?? ""],
    killS: template.spec.terminationGracePeriodSeconds,
  };
}

function readFly(): Settings {
  const toml = parseToml(read("fly.toml")) as unknown as {
    kill_signal: string;
    kill_timeout: number;
    env: Record<string, string>;
    http_service: { internal_port: number; checks: { path: string }[] };
  };
  expect(toml.kill_signal).toBe("SIGTERM");
  const { internal_port: port, checks } = toml.http_service;
  return { port, env: toml.env, restarts: [], routes: checks.map(({ path }) => path), killS: toml.kill_timeout };
}

function readCloudRun(): Settings {
  type Spec = { template: { spec: { timeoutSeconds: number; containers: [Container] } } };
  const { spec } = parseYaml(read("cloud-run.yaml")) as { spec: Spec };
  const [container] = spec.template.spec.containers;
  const [{ containerPort: port }] = container.ports;
  expect(spec.template.spec.timeoutSeconds).toBeLessThanOrEqual(3600);
  const restarts = [container.startupProbe, container.livenessProbe].map(({ httpGet }) => {
    expect(httpGet.port).toBe(port);
    return httpGet.path;
  });
  // Cloud Run sets PORT itself, and refuses one of ours. It kills the process after 10 seconds, whatever is said here.
  expect(Object.keys(envOf(container))).not.toContain("PORT");
  return { port, env: { ...envOf(container), PORT: String(port) }, restarts, routes: [], killS: 10 };
}

describe.each([
  ["Kubernetes", readKubernetes],
  ["Fly", readFly],
  ["Cloud Run", readCloudRun],
])("the settings of %s", (_platform, readSettings) => {
  it("lead to the address that the program listens at", () => {
    const { port, env } = readSettings();
    expect([env["HOST"], env["PORT"]]).toEqual(["0.0.0.0", String(port)]);
  });

  it("ask the service for its health, and restart no process that drains", async () => {
    const { restarts, routes } = readSettings();
    const helper = new Agent({ name: "helper", model: new ScriptedModel({ hang: true }) });
    const service = createService({ agents: { helper } });
    const { url } = await serve(service, [http()], { port: 0 });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const statusOf = async (path: string) => (await fetch(url + path)).status;
    for (const path of [...restarts, ...routes]) expect(await statusOf(path), path).toBe(200);

    // A run that is under way keeps the service in its drain.
    const left = new AbortController();
    await fetch(`${url}/agents/helper/stream?early=1`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"input":"Hi"}',
      signal: left.signal,
    });
    const closed = service.close({ graceMs: 60_000, drainMs: 60_000 });
    for (const path of restarts) expect(await statusOf(path), path).toBe(200);
    for (const path of routes) expect(await statusOf(path), path).toBe(503);
    left.abort();
    await closed;
  });

  it("give a shutdown more time than it takes", () => {
    const { env, killS } = readSettings();
    // Behind the grace of the runs, up to 5 seconds are for storing what they did, as docs/guide/deploying.md says.
    expect(Number(env["GRACE_MS"]) / 1000 + 5).toBeLessThanOrEqual(killS);
  });
});

describe("the program of Workers", () => {
  it("is the one that wrangler.jsonc names", () => {
    const { main } = JSON.parse(read("wrangler.jsonc").replaceAll(/^\s*\/\/.*$|,(?=\s*\})/gm, "")) as { main: string };
    expect(existsSync(join(folder, main))).toBe(true);
  });

  it("answers a request with the secrets that come with it", async () => {
    const env = { OPENAI_API_KEY: "none" };
    const waiting: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) };
    const response = await worker.fetch(new Request("https://agents.example.com/health"), env, context);
    expect(response.status).toBe(200);
    await Promise.all(waiting);
  });
});

describe("the settings of Vercel", () => {
  it("name the route handler of the recipe", () => {
    const { functions } = JSON.parse(read("vercel.json")) as { functions: Record<string, { maxDuration: number }> };
    const recipe = readFileSync(join(folder, "../recipes/serve-in-next.ts"), "utf8");
    const [, route = ""] = /^\/\/ (app\S+route\.ts)$/m.exec(recipe) ?? [];
    const [pattern = "", { maxDuration = 0 } = {}] = Object.entries(functions)[0] ?? [];
    expect(route.startsWith(pattern.split("**")[0] ?? "none") && route.endsWith("/route.ts")).toBe(true);
    expect(maxDuration).toBeLessThanOrEqual(800);
  });
});
