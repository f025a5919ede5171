import { execFile, execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import { MissingServer } from "../../tools/services/service.ts";
import type { VisitResult } from "./visit.ts";

/** The clients, outside of the workspace. The version in the folder's name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "ag-ui-clients-1");

const packages = [
  "@ag-ui/client@1.0.0",
  "ag-ui-core-1@npm:@ag-ui/core@1.0.0",
  "ag-ui-client-0@npm:@ag-ui/client@0.0.59",
  "ag-ui-core-0@npm:@ag-ui/core@0.0.59",
  "@copilotkit/runtime@1.75.0",
];

const pythonVersion = "1.0.0";
const pythonFolder = join(homedir(), ".cache", "troupe", `ag-ui-protocol-${pythonVersion}`);

/** The environment of the clients: they may tell nobody about their use, and reach nothing but this machine. */
const quietEnv = {
  ...process.env,
  COPILOTKIT_TELEMETRY_DISABLED: "true",
  DO_NOT_TRACK: "1",
  SCARF_ANALYTICS: "false",
  NODE_USE_ENV_PROXY: "1",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1",
};

/** Ensures that the clients are installed; throws `MissingServer` when they are not and may not be, or cannot be. */
export function needAgUiClients(mayInstall: boolean): void {
  const advice = "pass --install to have the clients of AG-UI installed";
  const requirements = [`ag-ui-protocol==${pythonVersion}`];
  const environment = { name: "ag-ui-protocol", folder: pythonFolder, requirements, withDependencies: true };
  needPythonEnvironment(environment, { mayInstall, advice });
  if (existsSync(join(folder, "node_modules"))) return;
  if (!mayInstall) throw new MissingServer(advice);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the clients of AG-UI could not be installed with npm");
  }
}

/** The service in a process of its own, which is killed and started again on the same port with the same data. */
class KilledService {
  readonly folder = mkdtempSync(join(tmpdir(), "troupe-ag-ui-"));
  #port = "0";
  #child: ChildProcess | undefined;

  async start(): Promise<string> {
    const program = join(import.meta.dirname, "ag-ui-service.ts");
    const child = spawn(process.execPath, ["--conditions=@troupe/source", program, this.folder, this.#port], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const ended = once(child, "exit").then(() => [""]);
    const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended])) as [string];
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port === undefined) throw new Error("The service did not start.");
    this.#port = port;
    return `http://127.0.0.1:${port}`;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }

  /** The number of payments that the service has made, in all of its processes. */
  get paid(): number {
    const file = join(this.folder, "paid.txt");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  }
}

type Line = { readonly name: string; readonly fault?: string };

/** Talks over AG-UI to a service with the clients of both revisions and with CopilotKit, also over a death of the service. */
export async function visitByAgUiClients(): Promise<VisitResult> {
  const service = new KilledService();
  try {
    const events = join(service.folder, "events.jsonl");
    const lines = await runClients(service, events);
    const script = join(import.meta.dirname, "__fixtures__", "ag_ui_events.py");
    const { stdout } = await promisify(execFile)(join(pythonFolder, "bin", "python"), [script, events]);
    lines.push(JSON.parse(stdout) as Line);
    const faults = lines.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`]));
    const approvals = lines.filter(({ name }) => name.includes(", approval")).length;
    if (service.paid !== approvals) faults.push(`${approvals} approvals have led to ${service.paid} payments.`);
    const remarks = lines.flatMap(({ name }) => (/ events by /.test(name) ? [name] : []));
    return { cases: lines.length, faults, remarks };
  } finally {
    await service.kill();
    rmSync(service.folder, { recursive: true, force: true });
  }
}

/** Runs the program of the clients, and kills the service whenever it asks for that. */
async function runClients(service: KilledService, events: string): Promise<Line[]> {
  const program = "ag-ui-clients.mjs";
  copyFileSync(join(import.meta.dirname, "__fixtures__", program), join(folder, program));
  const child = spawn(process.execPath, [program, await service.start(), events], {
    cwd: folder,
    env: quietEnv,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 240_000,
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (complaints += text));
  const lines: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "kill") {
      await service.kill();
      await service.start();
      child.stdin.write("alive\n");
    } else if (line.startsWith('{"name"')) lines.push(JSON.parse(line) as Line);
  }
  if (lines.length === 0) throw new Error(`The clients have ended: ${complaints.slice(-2000)}`);
  return lines;
}
