import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

const version = "4.32.5";
const folder = join(homedir(), ".cache", "troupe", `schemathesis-${version}`);
const config = join(import.meta.dirname, "schemathesis.toml");

/** Of each example the tool makes several cases, and further ones for the edges of what is described and for sequences. */
const casesPerExample = 7;

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
 * ones and invalid ones, and hold every answer against it. The faults are the sections of its report.
 */
export async function visitBySchemathesis(
  { url, folder: cwd }: Visited,
  { cases, seed }: VisitOptions,
): Promise<VisitResult> {
  const description = `${url}/docs/spec.json`;
  const { paths } = (await (await fetch(description)).json()) as { paths: Record<string, object> };
  const operations = Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
  const examples = Math.max(1, Math.ceil(cases / operations / casesPerExample));
  const options = [`--max-examples=${examples}`, `--seed=${seed}`, "--no-color"];
  const report = await run(["--config-file", config, "run", description, ...options, "--continue-on-failure"], cwd);
  const sent = Number(/(\d+) generated/.exec(report)?.[1] ?? 0);
  if (sent === 0) return { cases: 0, faults: [`no case was generated: ${report.slice(-2000)}`] };
  return { cases: sent, faults: faultsIn(report) };
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
