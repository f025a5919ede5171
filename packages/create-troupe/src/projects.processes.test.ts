import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createProject } from "./create-project.ts";
import { templates } from "./templates.ts";
import type { TemplateName } from "./templates.ts";
import { vendors } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

const root = join(import.meta.dirname, "../../..");
// Within the package, so that the projects find the sources of the workspace and the libraries.
const cache = join(import.meta.dirname, "../.cache", `projects-${process.pid}`);
const vendorNames = Object.keys(vendors) as VendorName[];

afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** Runs Node in a folder. Resolves with what it printed. */
async function runNode(args: readonly string[], cwd: string, variables: NodeJS.ProcessEnv = {}): Promise<string> {
  // The runner of tests would think that it is part of another.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, ...variables };
  return await new Promise((done) => {
    execFile(process.execPath, [...args], { cwd, env }, (_error, stdout, stderr) => done(stdout + stderr));
  });
}

describe.each((Object.keys(templates) as TemplateName[]).map((template, index) => ({ template, index })))(
  "a project of the template $template",
  ({ template, index }) => {
    const folder = join(cache, template);
    // Each vendor in one of the projects.
    createProject({ folder, template, vendor: vendorNames[index % vendorNames.length] });

    it("compiles with its own settings", async () => {
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const printed = await runNode([tsc, "-p", ".", "--noEmit", "--customConditions", "@troupe/source"], folder);

      // The sources of the packages, which a project does not see, need libraries of types that it does not have.
      const own = printed.split("\n").filter((line) => line !== "" && !/^(\.\.\/|\s)/.test(line));
      expect(own).toEqual([]);
    });

    it("passes its own tests", async () => {
      const args = ["--conditions=@troupe/source", "--test", "--test-reporter=tap", "src/**/*.test.ts"];
      const printed = await runNode(args, folder);

      expect(printed).toMatch(/^# pass [1-9]/m);
      expect(printed).toMatch(/^# fail 0$/m);
    });
  },
);

describe.each(["service", "worker"] as const)("a project of the template %s on a port that is taken", (template) => {
  const folder = join(cache, `${template}-taken`);
  createProject({ folder, template });

  it("says so in one sentence, and ends", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;

    const args = ["--conditions=@troupe/source", "--disable-warning=ExperimentalWarning", "src/main.ts"];
    const printed = await runNode(args, folder, { PORT: String(port), HOST: "127.0.0.1" });

    expect(printed).toMatch(new RegExp(`^The server cannot listen on port ${port} of 127\\.0\\.0\\.1\\. .*\n$`));
  });
});

/** The first output of the program of each template. */
const beginnings = [
  ["service", /The page is at/g],
  ["worker", /The worker performs runs/g],
  ["library", /The weather tool says/g],
] as const;

it.each(beginnings)(
  "dev of a %s starts it again each time that a file is replaced, also after an error in it",
  async (template, begun) => {
    const folder = join(cache, `${template}-dev`);
    createProject({ folder, template });
    const env = { ...process.env, NODE_OPTIONS: "--conditions=@troupe/source", PORT: "0" };
    const dev = spawn(process.execPath, ["dev.ts"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void dev.kill());
    let printed = "";
    for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (bytes: Buffer) => (printed += bytes.toString()));
    const tool = join(folder, "src/tools/weather.ts");
    const replace = (text: string) => {
      writeFileSync(join(folder, ".new"), text);
      renameSync(join(folder, ".new"), tool);
    };
    const prints = async (pattern: RegExp, count: number) =>
      await vi.waitFor(() => expect(printed.match(pattern)).toHaveLength(count), { timeout: 60_000, interval: 50 });

    await prints(begun, 1);
    const text = readFileSync(tool, "utf8");
    replace(text.replace("Rain", "Snow"));
    await prints(begun, 2);
    replace("const = 1;");
    await prints(/SyntaxError/g, 1);
    replace(text);

    await prints(begun, 3);
  },
  240_000,
);
