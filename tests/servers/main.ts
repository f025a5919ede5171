// `pnpm test:servers [name …] [--install]`: runs the whole suite of HTTP, and that of useChat, on each server of others, and
// prints one table with what the server cannot do. `--install` installs the servers with npm, outside of the workspace.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { haveFrameworks, hosts, installFrameworks } from "@troupe-internal/web-servers";
import { judge } from "./report.ts";
import type { Outcome, ReportedTest } from "./report.ts";

type Report = { readonly testResults: readonly { readonly assertionResults: readonly ReportedTest[] }[] };

const { values, positionals } = parseArgs({ options: { install: { type: "boolean" } }, allowPositionals: true });
const known = Object.keys(hosts).filter((name) => name !== "node" && name !== "fetch");
const unknown = positionals.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`Unknown server "${unknown}". Expected ${known.join(", ")}.`);
if (!haveFrameworks()) {
  if (values.install !== true) throw new Error("The servers are not installed. Pass --install.");
  installFrameworks();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs the suite on a server, and returns its tests. */
function runSuite(server: string): ReportedTest[] {
  const folder = mkdtempSync(join(tmpdir(), "troupe-servers-"));
  const file = join(folder, "report.json");
  const vitest = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const options = ["--config", "vitest.workspace.ts", "--project", server, "--testTimeout", "30000"];
  const args = [vitest, "run", ...options, "--reporter=json", `--outputFile=${file}`];
  try {
    const { stderr } = spawnSync(process.execPath, args, {
      cwd: join(import.meta.dirname, "../.."),
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
      maxBuffer: 1e9,
    });
    const text = readFileSync(file, { encoding: "utf8", flag: "a+" });
    if (text === "") throw new Error(`The suite did not run on ${server}: ${stderr.slice(-2000)}`);
    return (JSON.parse(text) as Report).testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function printOutcome(server: string, { passed, elsewhere, without, gaps, faults }: Outcome): void {
  const sum = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((all, each) => all + each, 0);
  print(
    `${server}: ${passed} passed, ${sum(gaps)} gaps, ${sum(elsewhere)} need another server, ${without} serve nothing, ${faults.length} faults`,
  );
  for (const [reason, count] of gaps) print(`  gap (${count}): ${reason}`);
  for (const [reason, count] of elsewhere) print(`  another server (${count}): ${reason}`);
  for (const fault of faults) print(`  FAULT: ${fault}`);
}

for (const server of positionals.length > 0 ? positionals : known) {
  const outcome = judge(server, runSuite(server));
  printOutcome(server, outcome);
  if (outcome.faults.length > 0) process.exitCode = 1;
}
