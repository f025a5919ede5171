import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
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
 * The faults are the sections of its reports.
 */
export async function visitBySchemathesis({ url, folder: cwd }: Visited, options: VisitOptions): Promise<VisitResult> {
  const faults: string[] = [];
  let cases = 0;
  for (let { seed } = options; cases < options.cases; seed++) {
    const limits = [`--max-examples=${examples}`, `--seed=${seed}`, "--no-color", "--continue-on-failure"];
    const report = await run(["--config-file", config, "run", `${url}/docs/spec.json`, ...limits], cwd);
    const sent = Number(/(\d+) generated/.exec(report)?.[1] ?? 0);
    faults.push(...(sent === 0 ? [`no case was generated: ${report.slice(-2000)}`] : faultsIn(report)));
    if (faults.length > 0) break;
    cases += sent;
  }
  return { cases, faults };
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

/** In a form every field is text: the number that the tool means arrives as a string, which the description allows. */
const textOfForms = /\(was string, became [^]*Content-Type: multipart\/form-data/;

/** The report has a section for each operation, and in it a number for each case that failed. */
function faultsIn(report: string): string[] {
  const sections = report.split(/^_{3,} (?=[A-Z]+ \/|Stateful)/m).slice(1);
  return sections.flatMap((section) => {
    const [title = ""] = section.split(/ _{3,}$/m);
    const failures = section.split(/^\d+\. Test Case ID: /m).slice(1);
    return (failures.length > 0 ? failures : [section])
      .filter((failure) => !textOfForms.test(failure))
      .map((failure) => `${title}: ${failure.split(/^=+ |^_+ /m)[0]?.slice(0, 1500)}`);
  });
}
