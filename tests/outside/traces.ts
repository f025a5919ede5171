import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import { MissingServer } from "../../tools/services/service.ts";
import { startPhoenix } from "./phoenix.ts";
import type { PhoenixSpan } from "./phoenix.ts";
import { startTraceReceiver } from "./trace-receiver.ts";
import type { VisitResult } from "./visit.ts";

const phoenixVersion = "20.26.1";
const cache = join(homedir(), ".cache", "troupe");
const phoenixFolder = join(cache, `phoenix-${phoenixVersion}`);

/** Projects of a host, outside of the workspace, with SDKs of two generations. Langfuse and Sentry have the earlier one. */
const projects = {
  sdk: {
    folder: join(cache, "otel-sdk-0.301.0"),
    packages: [
      "@opentelemetry/api@1.10.0",
      "@opentelemetry/exporter-prometheus@0.301.0",
      "@opentelemetry/exporter-trace-otlp-proto@0.301.0",
      "@opentelemetry/sdk-node@0.301.0",
    ],
  },
  langfuse: {
    folder: join(cache, "langfuse-otel-5.11.1"),
    packages: [
      "@langfuse/otel@5.11.1",
      "@opentelemetry/api@1.9.1",
      "@opentelemetry/core@2.12.1",
      "@opentelemetry/exporter-trace-otlp-http@0.223.1",
      "@opentelemetry/sdk-trace-base@2.12.1",
      "@opentelemetry/sdk-trace-node@2.12.1",
      "@sentry/opentelemetry@10.78.0",
    ],
  },
};
type Project = (typeof projects)[keyof typeof projects];

const program = "trace-a-run.mjs";
const root = join(import.meta.dirname, "../..");

/** Ensures that Phoenix and the SDKs are installed; throws `MissingServer` when they are not and may not be. */
export function needTraceBackends(mayInstall: boolean): void {
  const advice = "pass --install to have Phoenix and the exporters of OpenTelemetry installed";
  const requirements = [`arize-phoenix==${phoenixVersion}`];
  const phoenix = { name: "phoenix", folder: phoenixFolder, requirements, withDependencies: true };
  needPythonEnvironment(phoenix, { mayInstall, advice });
  for (const project of Object.values(projects)) needProject(project, mayInstall ? undefined : advice);
}

function needProject({ folder, packages }: Project, advice: string | undefined): void {
  if (existsSync(join(folder, "node_modules"))) return;
  if (advice !== undefined) throw new MissingServer(advice);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the exporters of OpenTelemetry could not be installed with npm");
  }
}

type Usage = { readonly promptTokens: number; readonly completionTokens: number };
type Printed = { readonly usages: readonly Usage[]; readonly metrics?: string };

/** Runs the program of a project, with telemetry that goes to a backend. */
async function runIn({ folder }: Project, backend: string, collector = ""): Promise<Printed> {
  copyFileSync(join(import.meta.dirname, "__fixtures__", program), join(folder, program));
  const given = ["--conditions=@troupe/source", "--no-warnings", program, root, backend, collector];
  const { stdout } = await promisify(execFile)(process.execPath, given, { cwd: folder, timeout: 240_000 });
  return JSON.parse(stdout) as Printed;
}

/** Names that the scraped metrics must have, as Prometheus writes them. */
const scraped = [
  "gen_ai_client_inference_duration_count",
  "gen_ai_client_inference_usage_input_tokens_total",
  "gen_ai_client_inference_usage_output_tokens_total",
  "gen_ai_execute_tool_duration_count",
  "gen_ai_invoke_agent_duration_count",
  "gen_ai_invoke_agent_inference_calls_count",
  "gen_ai_invoke_agent_tool_calls_count",
  "troupe_runs_total",
];

type Check = (name: string, isRight: boolean, found: unknown) => void;

/**
 * Sends the traces of an agent and a team to Phoenix, asks Phoenix for them, and takes pictures of its page; sends them through the
 * span processor of Langfuse, alone and beside that of Sentry; and reads the metrics as Prometheus does.
 */
export async function visitTraceBackends(): Promise<VisitResult> {
  const faults: string[] = [];
  let cases = 0;
  const check: Check = (name, isRight, found) => {
    cases += 1;
    if (!isRight) faults.push(`${name}: ${JSON.stringify(found).slice(0, 400)}`);
  };
  const remarks = await visitPhoenix(check);
  await visitLangfuse(check);
  const { usages, metrics = "" } = await runIn(projects.sdk, "prometheus");
  for (const name of scraped) check(`prometheus: ${name}`, metrics.includes(`\n${name}{`), metrics);
  const tokens = sumOf(metrics, "gen_ai_client_inference_usage_input_tokens_total");
  check("prometheus: tokens", tokens === promptTokensOf(usages), tokens);
  return { cases, faults, remarks };
}

async function visitPhoenix(check: Check): Promise<string[]> {
  const phoenix = await startPhoenix(join(phoenixFolder, "bin", "phoenix"));
  try {
    const { usages } = await runIn(projects.sdk, "phoenix", phoenix.url);
    const spans = await phoenix.spans();
    const named = (name: string): PhoenixSpan[] => spans.filter((span) => span.name === name);
    check("phoenix: runs", named("invoke_agent alone").length + named("invoke_agent guide").length === 2, spans);
    check("phoenix: traces", new Set(spans.map(({ context }) => context.trace_id)).size === 2, spans);
    const calls = spans.filter(({ span_kind: kind }) => kind === "LLM");
    const tokens = calls.reduce((sum, { attributes }) => sum + Number(attributes["llm.token_count.prompt"]), 0);
    check("phoenix: model calls", calls.length === 6, calls);
    check("phoenix: tokens", tokens === promptTokensOf(usages), tokens);
    const tools = spans.filter(({ span_kind: kind }) => kind === "TOOL").map(({ name }) => name);
    const expected = ["execute_tool delegate_to_scout", "execute_tool weather", "execute_tool weather"];
    check("phoenix: tools", tools.toSorted().join() === expected.join(), tools);
    const answers = calls.map(({ attributes }) => attributes["llm.output_messages.0.message.role"]);
    check(
      "phoenix: answers",
      answers.every((role) => role === "assistant"),
      answers,
    );
    const [scout] = named("invoke_agent scout");
    const [delegation] = named("execute_tool delegate_to_scout");
    check("phoenix: the member's run", scout?.parent_id === delegation?.context.span_id, scout);
    return (await phoenix.pictures(["invoke_agent guide"])).map((file) => `a picture is in ${file}`);
  } finally {
    await phoenix.stop();
  }
}

async function visitLangfuse(check: Check): Promise<void> {
  const seen: string[] = [];
  for (const backend of ["langfuse", "langfuse+sentry"]) {
    const receiver = await startTraceReceiver();
    try {
      const { usages } = await runIn(projects.langfuse, backend, receiver.url);
      const generations = receiver.spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "chat");
      const tokens = generations.map(({ attributes }) => Number(attributes["gen_ai.usage.input_tokens"]));
      check(`${backend}: generations`, generations.length === 6, receiver.spans);
      check(
        `${backend}: models`,
        generations.every(({ attributes }) => "gen_ai.request.model" in attributes),
        generations,
      );
      check(`${backend}: tokens`, tokens.reduce((sum, each) => sum + each, 0) === promptTokensOf(usages), tokens);
      const counts = receiver.spans.map(({ name, attributes }) => JSON.stringify([name, countsIn(attributes)]));
      seen.push(counts.toSorted().join());
    } finally {
      await receiver.close();
    }
  }
  check("a processor of Sentry beside it changes nothing", seen[0] === seen[1], seen);
}

function countsIn(attributes: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(attributes).filter(([name]) => name.startsWith("gen_ai.usage.") || name === "gen_ai.tool.name");
}

/** Returns the tokens of all runs. A team's usage has that of its members. */
function promptTokensOf(usages: readonly Usage[]): number {
  return usages.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
}

function sumOf(metrics: string, name: string): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
