import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import type { Visited, VisitResult } from "./visit.ts";

const generatorVersion = "0.29.1";
const python = join(homedir(), ".cache", "troupe", `openapi-python-client-${generatorVersion}`);
const npmPackages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@24"];

/** Ensures that the Python generator is installed; throws `MissingServer` when it is not and may not be. */
export function needGenerators(mayInstall: boolean): void {
  const requirements = [`openapi-python-client==${generatorVersion}`];
  const environment = { name: "openapi-python-client", folder: python, requirements, withDependencies: true };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have openapi-python-client installed" });
}

/** Has two generators make clients of the service's description, in TypeScript and in Python, and lets both use the service. */
export async function visitByGeneratedClients({ url }: Visited): Promise<VisitResult> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-clients-"));
  try {
    await writeFile(join(folder, "spec.json"), await (await fetch(`${url}/docs/spec.json`)).text());
    const faults = [await faultOf(useTypescript, folder, url), await faultOf(usePython, folder, url)];
    return { cases: faults.length, faults: faults.filter((fault) => fault !== undefined) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

type UseClient = (folder: string, url: string) => Promise<void>;

async function faultOf(use: UseClient, folder: string, url: string): Promise<string | undefined> {
  try {
    await use(folder, url);
    return undefined;
  } catch (error) {
    const { message, stdout = "" } = error as Error & { stdout?: string };
    return `${message}\n${stdout}`;
  }
}

async function useTypescript(folder: string, url: string): Promise<void> {
  await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
  await copyFile(join(import.meta.dirname, "__fixtures__/client.ts"), join(folder, "client.ts"));
  const run = promisify(execFile);
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, ...npmPackages], { cwd: folder });
  const program = (name: string) => join(folder, "node_modules/.bin", name);
  await run(program("openapi-typescript"), ["spec.json", "-o", "api.d.ts"], { cwd: folder });
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--allowImportingTsExtensions"];
  await run(program("tsc"), [...strict, "--module", "nodenext", "--target", "es2023", "client.ts"], { cwd: folder });
  await run(process.execPath, ["client.ts", url], { cwd: folder });
}

async function usePython(folder: string, url: string): Promise<void> {
  const run = promisify(execFile);
  const bin = join(python, "bin");
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, PYTHONPATH: join(folder, "python") };
  const made = ["--path", "spec.json", "--output-path", "python"];
  const { stdout, stderr } = await run(join(bin, "openapi-python-client"), ["generate", ...made], { cwd: folder, env });
  if (/warning|error/i.test(stdout + stderr)) throw new Error(`openapi-python-client said: ${stdout}${stderr}`);
  await run(join(bin, "python"), [join(import.meta.dirname, "__fixtures__/client.py"), url], { cwd: folder, env });
}
