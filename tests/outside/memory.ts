// Floods a service whose sessions are in memory with large sessions of callers without a name, in a process with a small heap:
// `node --conditions=@troupe/source tests/outside/memory.ts`. It must live, and a user who is signed in must keep a session.
import { fileURLToPath } from "node:url";
import { TestChild } from "@troupe-internal/fault-tools";

/** Report of a flood: the answers by their status, what the process held at the end, and all that went wrong. */
export type FloodReport = { statuses: Record<number, number>; mistakes: string[] };

/** Requests of one size, all in sessions of their own, and the heap of the process that gets them. */
type Flood = {
  name: string;
  heapMb: number;
  requests: number;
  atOnce: number;
  path: string;
  makeBody: () => RequestBody;
};

type RequestBody = { body: string | FormData; headers: Record<string, string> };

const megabyte = 1_000_000;
const json = { "content-type": "application/json" };

const floods: readonly Flood[] = [
  {
    name: "160 bodies of 1 MB",
    heapMb: 128,
    requests: 160,
    atOnce: 8,
    path: "/agents/helper/run",
    makeBody: () => ({ body: JSON.stringify({ input: "x".repeat(megabyte - 100) }), headers: json }),
  },
  {
    name: "11 uploads of 40 MB",
    heapMb: 512,
    requests: 11,
    atOnce: 1,
    path: "/agents/helper/run",
    makeBody: () => {
      const form = new FormData();
      form.set("input", "Look.");
      form.set("files", new Blob([new Uint8Array(40 * megabyte).fill(7)], { type: "image/png" }), "large.png");
      return { body: form, headers: {} };
    },
  },
];

/** Sends both floods, each to a service of its own. */
export async function tryFloods(): Promise<FloodReport> {
  const report: FloodReport = { statuses: {}, mistakes: [] };
  for (const flood of floods) await tryFlood(flood, report);
  return report;
}

async function tryFlood(flood: Flood, report: FloodReport): Promise<void> {
  const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=${flood.heapMb}` };
  const child = await TestChild.start(new URL("memory-service.ts", import.meta.url), { env });
  try {
    const { port } = await child.next(isReady);
    const url = `http://127.0.0.1:${port}`;
    const signedIn = { ...json, "x-test-user": "ada" };
    const hers = JSON.stringify({ input: "Remember me.", sessionId: "hers" });
    await fetch(`${url}${flood.path}`, { method: "POST", body: hers, headers: signedIn });
    await send(flood, url, report);

    const kept = await fetch(`${url}/sessions/hers/turns`, { headers: signedIn }).then(
      async (response) => await response.text(),
      () => "",
    );
    if (!kept.includes("Remember me.")) report.mistakes.push(`${flood.name}: a user's session was lost.`);
    const warnings = child.output.toString().split("sessions_dropped").length - 1;
    if (warnings !== 1) report.mistakes.push(`${flood.name}: ${warnings} warnings, not one.`);
  } finally {
    const { code, signal } = await child.kill("SIGKILL");
    if (signal !== "SIGKILL") report.mistakes.push(`${flood.name}: the service ended with ${code ?? signal}.`);
    await child.close();
  }
}

function isReady(message: unknown): message is { port: number } {
  return typeof message === "object" && message !== null && "port" in message;
}

/** Sends the requests of a flood, some at once. Stops when the service no longer answers. */
async function send({ name, requests, atOnce, path, makeBody }: Flood, url: string, report: FloodReport) {
  let left = requests;
  const sendOn = async () => {
    while (left-- > 0) {
      const { status } = await fetch(url + path, { method: "POST", ...makeBody() });
      report.statuses[status] = (report.statuses[status] ?? 0) + 1;
      if (status !== 200) report.mistakes.push(`${name}: status ${status}.`);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, sendOn));
  if (outcomes.some(({ status }) => status === "rejected")) report.mistakes.push(`${name}: requests got no answer.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = await tryFloods();
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.mistakes.length > 0) process.exitCode = 1;
}
