// Has agents of a service use MCP servers that misbehave, while others use the service: `pnpm test:outside mcp`. The others must get
// their answers, and the agents' own runs must end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TestChild } from "@troupe-internal/fault-tools";
import { faultOf } from "./visit.ts";
import type { VisitResult } from "./visit.ts";

const program = fileURLToPath(new URL("../../packages/mcp/test/hostile-server.ts", import.meta.url));

/** Behaviours of that program, and the way to reach each. */
const behaviours: readonly (readonly [name: string, transport: "http" | "stdio"])[] = [
  ["60,000 tools", "http"],
  ["a schema of 250,000 properties", "http"],
  ["pages without end", "http"],
  ["lines that are no messages", "stdio"],
  ["250,000 blocks of no known type", "http"],
  ["a message beyond maxMessageBytes", "stdio"],
];

/**
 * The milliseconds that a plain run may always take. Beyond them it is held up if it took half of the time of the run beside it:
 * both take longer on a machine that is busy.
 */
const patienceMs = 1000;

/** Answer of a run, or the reason why there was none. */
type Answer = { readonly status: number; readonly body: string; readonly ms: number };

/** Runs an agent for each behaviour, one after the other, and a plain one again and again meanwhile. */
export async function visitWithHostileMcp(): Promise<VisitResult> {
  const hostile = spawn(process.execPath, [program, "http"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [printed] = (await once(hostile.stdout, "data")) as [Buffer];
    const ways = behaviours.map(([name, transport], index) => {
      const url = `http://127.0.0.1:${String(printed).trim()}/${encodeURIComponent(name)}`;
      return [`evil-${index}`, transport === "http" ? url : [program, name]] as const;
    });
    const env = { ...process.env, HOSTILE: JSON.stringify(Object.fromEntries(ways)) };
    const service = await TestChild.start(new URL("mcp-service.ts", import.meta.url), { env });
    try {
      const { port } = await service.next(isReady);
      return await visitService(`http://127.0.0.1:${port}`);
    } finally {
      await service.kill("SIGKILL");
      await service.close();
    }
  } finally {
    hostile.kill("SIGKILL");
  }
}

async function visitService(url: string): Promise<VisitResult> {
  const faults: string[] = [];
  let [cases, longestMs] = [0, 0];
  for (const [index, [behaviour, transport]] of behaviours.entries()) {
    const plain: Answer[] = [];
    const over = new AbortController();
    const ending = run(url, `evil-${index}`).finally(() => over.abort());
    do plain.push(await run(url, "helper"));
    while (!over.signal.aborted);
    const ended = await ending;
    const found = [faultOfEnd(ended), ...plain.map((each) => faultBeside(each, ended))];
    faults.push(...found.flatMap((fault) => fault ?? []).map((fault) => `${behaviour} over ${transport}: ${fault}`));
    cases += found.length;
    longestMs = Math.max(longestMs, ...plain.map(({ ms }) => ms));
  }
  const remarks = [`the longest plain run beside a hostile MCP server took ${Math.round(longestMs)} ms`];
  return { cases, faults, remarks };
}

/** Returns what is wrong with a plain run beside one that uses a hostile server. */
function faultBeside({ status, body, ms }: Answer, ended: Answer): string | undefined {
  if (status !== 200 || !body.includes("Yes.")) return `a plain run got ${status} ${body.slice(0, 200)}`;
  return ms > Math.max(patienceMs, ended.ms / 2) ? `a plain run was held up for ${Math.round(ms)} ms` : undefined;
}

/** Returns what is wrong with the end of an agent's run: it must be an answer, or a clear error. */
function faultOfEnd({ status, body }: Answer): string | undefined {
  if (status === 200 && !body.includes("Yes.")) return `an answer without a text: ${body.slice(0, 200)}`;
  return status === 0 ? `no end: ${body}` : faultOf(status, body);
}

/** Runs an agent. The status is 0 if there is no answer within 20 seconds. */
async function run(url: string, name: string): Promise<Answer> {
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: '{"input":"Go."}' };
  const start = performance.now();
  try {
    const response = await fetch(`${url}/agents/${name}/run`, { ...request, signal: AbortSignal.timeout(20_000) });
    return { status: response.status, body: await response.text(), ms: performance.now() - start };
  } catch (error) {
    return { status: 0, body: String(error), ms: performance.now() - start };
  }
}

function isReady(message: unknown): message is { port: number } {
  return typeof message === "object" && message !== null && "port" in message;
}
