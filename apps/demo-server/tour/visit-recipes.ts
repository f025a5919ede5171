import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

const root = join(import.meta.dirname, "../../..");

/** Without the keys of this machine, so that no program reaches a vendor; on any free port. */
const env = { PATH: process.env["PATH"], PORT: "0" };

/** Runs the program of each recipe, as its page says. */
export async function visitRecipes(tour: Tour): Promise<void> {
  tour.begin("The programs of the recipes");
  const programs = readdirSync(join(root, "examples/recipes")).filter((name) => name.endsWith(".ts"));
  for (const name of programs.toSorted()) {
    await tour.step(name, async () => {
      const args = ["--conditions=@troupe/source", join("examples/recipes", name)];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
      expect(!stdout.includes('"level":"error"'), stdout);
      return stdout === "" ? "runs to its end" : stdout;
    });
  }
}
