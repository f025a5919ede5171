// `pnpm test:outside [visit …] [--cases n] [--seed n]`: visits the demo server, or services of a visit's own, as strangers do, two
// visits at a time, and prints one table. Without names it makes all visits but those that are made by name alone. `--install`
// installs what is missing; without it a visit whose tool is missing is skipped and named, which is an error when
// REQUIRED_SERVICES lists the tool.
import { parseArgs } from "node:util";
import { MissingServer } from "../../tools/services/service.ts";
import { needAdk, visitByAdk } from "./adk.ts";
import { needAgUiClients, visitByAgUiClients } from "./ag-ui.ts";
import { visitWithCanaries } from "./canaries.ts";
import { needChats, visitByChats } from "./chats.ts";
import { visitByOurClient } from "./client-runtimes.ts";
import { startDemo } from "./demo-process.ts";
import { visitWithFloods } from "./floods.ts";
import { visitForms } from "./forms.ts";
import { needGenerators, visitByGeneratedClients } from "./generated-clients.ts";
import { needLighthouse, visitByLighthouse } from "./lighthouse.ts";
import { visitWithHostileMcp } from "./mcp.ts";
import { tryFloods } from "./memory.ts";
import { needMigrations, visitMigrations } from "./migrations.ts";
import { needOpenAiClients, visitByOpenAiClients } from "./openai-clients.ts";
import { needOpenApiGenerator, visitByOpenApiGenerator } from "./openapi-generator.ts";
import { needOpenWebUi, visitByOpenWebUi } from "./open-webui.ts";
import { visitRaw } from "./raw.ts";
import { needRuntimes, visitOnRuntimes } from "./runtimes.ts";
import { needSchemathesis, visitBySchemathesis } from "./schemathesis.ts";
import { tryShutdowns } from "./shutdown.ts";
import { visitSockets } from "./sockets.ts";
import type { Visit, Visited, VisitOptions, VisitResult } from "./visit.ts";
import { needTraceBackends, visitTraceBackends } from "./traces.ts";
import { needWeights, visitWeights } from "./weights.ts";
import { needWebServers, visitOnWebServers } from "./web-servers.ts";

/** A visit, and the part of the cases that it makes. One that `isByName` is left out unless it is named. */
type Plan = {
  readonly visit: Visit;
  readonly share: number;
  readonly need?: (mayInstall: boolean) => void;
  readonly isByName?: boolean;
};

const plans: Readonly<Record<string, Plan>> = {
  schemathesis: { visit: visitBySchemathesis, share: 1, need: needSchemathesis },
  clients: { visit: visitByGeneratedClients, share: 0, need: needGenerators },
  raw: { visit: visitRaw, share: 0.22 },
  forms: { visit: visitForms, share: 0.1 },
  shutdown: { visit: visitInShutdowns, share: 0.0004 },
  memory: { visit: visitByFloods, share: 0 },
  canaries: { visit: visitWithCanaries, share: 0.02 },
  adk: { visit: visitByAdk, share: 0, need: needAdk, isByName: true },
  agui: { visit: visitByAgUiClients, share: 0, need: needAgUiClients, isByName: true },
  generators: { visit: visitByOpenApiGenerator, share: 0, need: needOpenApiGenerator, isByName: true },
  openai: { visit: visitByOpenAiClients, share: 0, need: needOpenAiClients, isByName: true },
  "open-webui": { visit: visitByOpenWebUi, share: 0, need: needOpenWebUi, isByName: true },
  chats: { visit: visitByChats, share: 0, need: needChats, isByName: true },
  lighthouse: { visit: visitByLighthouse, share: 0, need: needLighthouse, isByName: true },
  migrations: { visit: visitMigrations, share: 0, need: needMigrations, isByName: true },
  client: { visit: visitByOurClient, share: 0, need: needRuntimes, isByName: true },
  runtimes: { visit: visitOnRuntimes, share: 0, need: needRuntimes, isByName: true },
  servers: { visit: visitOnWebServers, share: 0, need: needWebServers, isByName: true },
  traces: { visit: visitTraceBackends, share: 0, need: needTraceBackends, isByName: true },
  weights: { visit: visitWeights, share: 0, need: needWeights, isByName: true },
  floods: { visit: visitWithFloods, share: 0 },
  sockets: { visit: visitSockets, share: 0 },
  mcp: { visit: visitWithHostileMcp, share: 0 },
};

const { values, positionals } = parseArgs({
  options: { cases: { type: "string" }, seed: { type: "string" }, install: { type: "boolean" } },
  allowPositionals: true,
});
const [cases, seed, mayInstall] = [Number(values.cases ?? 5000), Number(values.seed ?? 1), values.install ?? false];
const required = (process.env["REQUIRED_SERVICES"] ?? "").split(",").map((name) => name.trim());

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Returns true if the server is ready. Asks up to three times: while a visit kept this process busy, the server may have
 * closed idle connections, of which this process learns when it uses them.
 */
async function isReady(url: string): Promise<boolean> {
  for (let left = 3; left > 0; left -= 1) {
    const response = await fetch(`${url}/ready`).catch(() => undefined);
    if (response?.ok === true) return true;
  }
  return false;
}

async function visitDemo(visit: Visit, options: VisitOptions): Promise<VisitResult> {
  const demo = await startDemo();
  try {
    const result = await visit(demo, options);
    return (await isReady(demo.url))
      ? result
      : { ...result, faults: [...result.faults, "The server was not ready after the visit."] };
  } finally {
    await demo.stop();
  }
}

/** Shuts services of its own down, as many as there are cases. */
async function visitInShutdowns(_: Visited, { cases: shutdowns, seed: drawn }: VisitOptions): Promise<VisitResult> {
  const { statuses, resets, mistakes } = await tryShutdowns(shutdowns, drawn);
  return { cases: Object.values(statuses).reduce((sum, count) => sum + count, 0), faults: [...resets, ...mistakes] };
}

/** Floods services of its own. */
async function visitByFloods(): Promise<VisitResult> {
  const { statuses, mistakes } = await tryFloods();
  return { cases: Object.values(statuses).reduce((sum, count) => sum + count, 0), faults: mistakes };
}

/** Returns what a visit lacks, undefined for nothing. Throws if the visit is required. */
function lackOf(name: string, { need }: Plan): string | undefined {
  try {
    need?.(mayInstall);
    return undefined;
  } catch (error) {
    if (!(error instanceof MissingServer) || required.includes(name)) throw error;
    return error.message;
  }
}

async function tryOne(name: string, { visit, share }: Plan): Promise<string> {
  const start = performance.now();
  const result = await visitDemo(visit, { cases: Math.ceil(cases * share), seed, mayInstall });
  const faults = printResult(name, result);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  return `${name.padEnd(14)} ${String(result.cases).padStart(7)} ${seconds.padStart(7)} ${String(faults).padStart(7)}`;
}

/** Prints what a visit found, and returns the number of its faults. */
function printResult(name: string, { faults, remarks = [], skipped = [] }: VisitResult): number {
  for (const remark of remarks) print(`- ${name}: ${remark}`);
  for (const part of skipped) print(`- ${name}: skipped: ${part}`);
  for (const fault of faults.slice(0, 40)) print(`- ${name}: ${fault}`);
  const found = faults.length + (required.includes(name) ? skipped.length : 0);
  if (found > 0) process.exitCode = 1;
  return found;
}

const usual = Object.keys(plans).filter((name) => plans[name]?.isByName !== true);
const names = positionals.length > 0 ? positionals : usual;
const table = [`${"visit".padEnd(14)} ${"cases".padStart(7)} ${"seconds".padStart(7)} ${"faults".padStart(7)}`];
const left: [string, Plan][] = [];
// Tools are installed before the first visit: an installation blocks this process, which serves the model of all visits.
for (const name of names) {
  const plan = plans[name];
  if (plan === undefined) throw new Error(`Unknown visit "${name}". Expected ${Object.keys(plans).join(", ")}.`);
  const lack = lackOf(name, plan);
  if (lack === undefined) left.push([name, plan]);
  else table.push(`${name.padEnd(14)} skipped: ${lack}`);
}

/** Makes visits until none is left. */
async function visitOn(): Promise<void> {
  for (let next = left.shift(); next !== undefined; next = left.shift()) table.push(await tryOne(...next));
}

print(`--cases ${cases} --seed ${seed}`);
// Two at a time: the longest one keeps one processor busy, and the others have the second.
await Promise.all([visitOn(), visitOn()]);
print(table.join("\n"));
