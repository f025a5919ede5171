import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { mustRun, runCommand } from "../../tools/packages/run-command.ts";
import { budgets } from "./budgets.ts";
import { readLockfile } from "./read-lockfile.ts";

const folder = inject("consumerFolder");
// Those deeper in are parts of an example that is driven from outside, such as a page with its server.
const programs = globSync(["src/**/*.ts", "examples/*/*.ts"], { cwd: folder });

describe.each(["typescript", "typescript-5.9"])("a consumer with %s", (compiler) => {
  it.each(["tsconfig.json", "tsconfig.web.json", "tsconfig.web-nodenext.json"])(
    "compiles with %s, declarations of libraries included",
    async (config) => {
      const tsc = join(folder, "node_modules", compiler, "bin/tsc");
      const { stdout } = await runCommand(process.execPath, [tsc, "-p", config], { cwd: folder });

      expect(stdout).toBe("");
    },
  );

  it("compiles programs with the AI SDK, whose declarations are not its own to mend", async () => {
    const tsc = join(folder, "node_modules", compiler, "bin/tsc");
    const { stdout } = await runCommand(process.execPath, [tsc, "-p", "tsconfig.ai-sdk.json"], { cwd: folder });

    expect(stdout).toBe("");
  });
});

/** The oldest compiler that the declarations are written for. Those of other libraries may need a newer one. */
const oldest = "typescript-5.6";

it("TypeScript 5.6 compiles the declarations of every entry point", async () => {
  const entryPoints = inject("packed").flatMap(({ name, unpacked }) => {
    const { exports } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8")) as { exports: object };
    return Object.keys(exports).flatMap((entry) => (entry === "./package.json" ? [] : [join(name, entry)]));
  });
  const lines = entryPoints.map((entryPoint, index) => `export * as entry${index} from "${entryPoint}";\n`);
  writeFileSync(join(folder, "probes/entry-points.ts"), lines.join(""));
  const tsc = join(folder, "node_modules", oldest, "bin/tsc");
  const options = "--noEmit --strict --skipLibCheck false --target ES2023 --module NodeNext --types node";
  const args = [tsc, ...options.split(" "), "--lib", "ES2023,DOM,DOM.AsyncIterable", "probes/entry-points.ts"];
  const { stdout } = await runCommand(process.execPath, args, { cwd: folder });

  const ours = stdout.split("\n").filter((line) => /^(node_modules\/(@troupe|create-troupe)|probes)\//.test(line));
  expect(ours).toEqual([]);
  // A mistake in the options would end the compiler before it looked.
  expect(stdout).not.toContain("error TS5");
});

it.each(programs)("a consumer runs %s", async (program) => {
  await expect(
    mustRun(process.execPath, [program], { cwd: folder, env: { ...process.env, PORT: "0" }, timeout: 120_000 }),
  ).resolves.toBeTypeOf("string");
});

it("a consumer runs the command that makes a token file for Gmail [gmail.token-command]", async () => {
  const command = join(folder, "node_modules/.bin/troupe-gmail-token");

  await expect(mustRun(command, ["--help"], { cwd: folder })).resolves.toContain("Usage: troupe-gmail-token");
});

it("the programs of the consumer import every published package", () => {
  const source = programs.map((program) => readFileSync(join(folder, program), "utf8")).join("\n");

  for (const { name } of inject("packed")) expect(source).toContain(`from "${name}`);
});

it("no installed package has an install script, except those of the budget", () => {
  const scripted = readLockfile(folder).filter(({ hasInstallScript }) => hasInstallScript === true);

  expect(scripted.map(({ path }) => path)).toEqual(budgets.installScripts.map((name) => `node_modules/${name}`));
});
