import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import { lintDescription } from "./linted-description.ts";
import { needNpmTools, npmModules, npmProgram, silent } from "./npm-tools.ts";
import type { Visited, VisitResult } from "./visit.ts";

const generator = "openapi-python-client";
const requirements = [`${generator}==0.29.1`, "openapi-spec-validator==0.9.0"];
const python = join(homedir(), ".cache", "troupe", requirements.join("-").replaceAll("==", "-"));
const fixtures = join(import.meta.dirname, "__fixtures__/clients");

/** Ensures that the generators and validators are installed; throws `MissingServer` when they are not and may not be. */
export function needGenerators(mayInstall: boolean): void {
  const environment = { name: generator, folder: python, requirements, withDependencies: true };
  needPythonEnvironment(environment, { mayInstall, advice: `pass --install to have ${generator} installed` });
  needNpmTools(mayInstall);
}

/**
 * Has three validators read the service's description, and generators make clients of it, in TypeScript and in Python. The
 * clients are compiled as strictly as they can be, and use the service.
 */
export async function visitByGeneratedClients({ url }: Visited): Promise<VisitResult> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-clients-"));
  try {
    await writeFile(join(folder, "spec.json"), await (await fetch(`${url}/docs/spec.json`)).text());
    await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
    await symlink(npmModules, join(folder, "node_modules"));
    const linted = await lintDescription(folder, join(python, "bin", "openapi-spec-validator"));
    const used = await Promise.all([
      ...Object.entries(inTypescript).map(([name, client]) =>
        faultOf(() => useTypescript({ name, client, folder, url })),
      ),
      faultOf(() => usePython(folder, url)),
    ]);
    return { cases: used.length + 3, faults: [...linted, ...used.filter((fault) => fault !== undefined)] };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function faultOf(use: () => Promise<void>): Promise<string | undefined> {
  try {
    await use();
    return undefined;
  } catch (error) {
    const { message, stdout = "" } = error as Error & { stdout?: string };
    return `${message}\n${stdout}`;
  }
}

/** A generator of clients in TypeScript: its command, and options of the compiler that its code does not fit. */
type Client = { readonly command: readonly string[]; readonly loosened?: readonly string[] };

const inTypescript: Readonly<Record<string, Client>> = {
  "openapi-typescript": { command: ["openapi-typescript", "spec.json", "-o", "openapi-typescript/api.d.ts"] },
  "hey-api": {
    command: ["openapi-ts", "-i", "spec.json", "-o", "hey-api", "--no-log-file"],
    loosened: ["exactOptionalPropertyTypes"],
  },
  orval: {
    command: ["orval", "--config", join(fixtures, "orval.config.mjs")],
  },
  "swagger-typescript-api": {
    command: ["swagger-typescript-api", "generate", "-p", "spec.json", "-o", "swagger-typescript-api", "-n", "api.ts"],
    loosened: ["exactOptionalPropertyTypes"],
  },
};

type Use = { name: string; client: Client; folder: string; url: string };

async function useTypescript({ name, client: { command, loosened = [] }, folder, url }: Use): Promise<void> {
  const run = promisify(execFile);
  const options = { cwd: folder, env: { ...process.env, ...silent, SERVICE_URL: url } };
  const [program = "", ...args] = command;
  await run(npmProgram(program), args, options);
  await copyFile(join(fixtures, `${name}.ts`), join(folder, `${name}.ts`));
  const strict = ["exactOptionalPropertyTypes"].filter((option) => !loosened.includes(option));
  const checks = [
    "--strict",
    "--noEmit",
    "--skipLibCheck",
    "--allowImportingTsExtensions",
    ...strict.map((each) => `--${each}`),
  ];
  const language = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2023", "--types", "node"];
  await run(npmProgram("tsc"), [...checks, ...language, `${name}.ts`], options);
  // Generated modules import each other without the ends of their files' names.
  await run(
    npmProgram("esbuild"),
    [`${name}.ts`, "--bundle", "--platform=node", "--format=esm", `--outfile=${name}.mjs`],
    options,
  );
  await run(process.execPath, [`${name}.mjs`, url], options);
}

async function usePython(folder: string, url: string): Promise<void> {
  const run = promisify(execFile);
  const bin = join(python, "bin");
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, PYTHONPATH: join(folder, "python") };
  const made = ["--path", "spec.json", "--output-path", "python"];
  const { stdout, stderr } = await run(join(bin, generator), ["generate", ...made], { cwd: folder, env });
  if (/warning|error/i.test(stdout + stderr)) throw new Error(`${generator} said: ${stdout}${stderr}`);
  await run(join(bin, "python"), [join(fixtures, `${generator}.py`), url], { cwd: folder, env });
}
