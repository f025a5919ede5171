import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import { judgeReport } from "./schemathesis-report.ts";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

const version = "4.32.5";
const folder = join(homedir(), ".cache", "troupe", `schemathesis-${version}`);
const config = join(import.meta.dirname, "schemathesis.toml");

/** Examples of each operation in a round. Beyond some hundreds the tool finds few new ones; with another seed it does. */
const examples = 24;

/** Ensures that the tool is installed; throws `MissingServer` when it is not and may not be. */
export function needSchemathesis(mayInstall: boolean): void {
  const environment = {
    name: "schemathesis",
    folder,
    requirements: [`schemathesis==${version}`],
    withDependencies: true,
  };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have schemathesis installed" });
}

/**
 * Has schemathesis, which knows nothing of this project, generate requests from the service's own OpenAPI description, valid
 * ones and invalid ones, and hold every answer against it: in rounds with seeds of their own, until there were enough cases.
 * The faults are what its reports say, except for claims that the description refutes, which are counted.
 */
export async function visitBySchemathesis({ url, folder: cwd }: Visited, options: VisitOptions): Promise<VisitResult> {
  const description: unknown = await (await fetch(`${url}/docs/spec.json`)).json();
  const faults: string[] = [];
  const refuted = new Map<string, number>();
  let cases = 0;
  for (let { seed } = options; cases < options.cases && faults.length === 0; seed++) {
    const limits = [`--max-examples=${examples}`, `--seed=${seed}`, "--no-color", "--continue-on-failure"];
    const report = await run(["--config-file", config, "run", `${url}/docs/spec.json`, ...limits], cwd);
    const sent = Number(/(\d+) generated/.exec(report)?.[1] ?? 0);
    if (sent === 0) faults.push(`no case was generated: ${report.slice(-2000)}`);
    const judged = judgeReport(report, description);
    faults.push(...judged.faults);
    for (const [reason, count] of judged.refuted) refuted.set(reason, (refuted.get(reason) ?? 0) + count);
    cases += sent;
  }
  const remarks = [...refuted].map(([reason, count]) => `claims that do not hold, as ${reason}: ${count}`);
  return { cases, faults, remarks };
}

/** Runs the tool in a folder where it may leave its own notes. */
async function run(args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "schemathesis_hooks.py") };
  const child = spawn(join(folder, "bin", "schemathesis"), args, { stdio: ["ignore", "pipe", "pipe"], env, cwd });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => said.push(bytes));
  await once(child, "close");
  return Buffer.concat(said).toString("utf8");
}
