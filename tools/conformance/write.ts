// `pnpm conformance [protocol …]`: runs the tests of protocols with their official clients and runners, and writes a page of
// each that says what was tested. A test that fails is an error, and its page stays as it was.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageOf } from "./page-of.ts";
import type { Protocol, TestedCase } from "./page-of.ts";

const root = join(import.meta.dirname, "../..");

function versionOf(packageFolder: string, name: string): string {
  const file = join(root, "packages", packageFolder, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

const protocols: Readonly<Record<string, Protocol & { readonly files: readonly string[] }>> = {
  a2a: {
    title: "A2A",
    means: `The clients and servers are those of the official SDK, \`@a2a-js/sdk\`, in its versions ${["a2a-sdk-02", "a2a-sdk-03", "a2a-sdk-1"].map((name) => versionOf("a2a", name)).join(", ")}: one for each version of the protocol.`,
    files: [
      "packages/a2a/src/server/sdk-clients.test.ts",
      "packages/a2a/src/client/sdk-servers.test.ts",
      "packages/a2a/src/push/sdk-push.test.ts",
    ],
    limits: [
      "The compatibility kit of the protocol, which is a program in Python.",
      "gRPC, which Troupe does not serve.",
    ],
  },
  mcp: {
    title: "MCP",
    means: `The scenarios are those of the official runner, \`@modelcontextprotocol/conformance\` ${versionOf("mcp", "@modelcontextprotocol/conformance")}: all that it requires of a client and of a server, for the two revisions that it has frozen.`,
    files: [
      "packages/mcp/src/server/conformance.processes.test.ts",
      "packages/mcp/src/client/conformance.processes.test.ts",
    ],
    limits: [
      "`server-sse-polling` of 2025-11-25, which the runner does not require and its own server fails, too.",
      "`tasks-status-notifications` of 2026-07-28, which the runner does not require and has not written yet.",
    ],
  },
  "open-responses": {
    title: "Open Responses",
    means:
      "The cases and the schema are those of the suite of Open Responses of 24 April 2026, written down as tests of ours with a scripted model.",
    files: ["packages/openai-api/src/responses/open-responses.test.ts"],
    limits: [
      "The suite of Open Responses itself, which calls a model of a vendor.",
      "Other clients of OpenAI's API, which `pnpm test:outside openai --install` visits with.",
    ],
  },
};

function run(files: readonly string[]): TestedCase[] {
  const folder = mkdtempSync(join(tmpdir(), "troupe-conformance-"));
  const report = join(folder, "report.json");
  try {
    const projects = ["--project", "quick", "--project", "processes"];
    const args = ["run", "--config", "vitest.workspace.ts", ...projects, "--reporter=json", `--outputFile=${report}`];
    const vitest = join(root, "node_modules/.bin/vitest");
    const { status } = spawnSync(vitest, [...args, ...files], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    type Report = { testResults: { name: string; assertionResults: TestedCase[] }[] };
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const cases = testResults
      .toSorted(
        (one, other) =>
          files.findIndex((file) => one.name.endsWith(file)) - files.findIndex((file) => other.name.endsWith(file)),
      )
      .flatMap(({ assertionResults }) => assertionResults);
    const failed = cases.filter(({ status: outcome }) => outcome !== "passed");
    if (status !== 0 || failed.length > 0 || cases.length === 0) {
      throw new Error(`Not all tests passed: ${failed.map(({ title }) => title).join("; ") || "none was run"}.`);
    }
    return cases;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(protocols);
const date = new Date().toISOString().slice(0, 10);
for (const name of names) {
  const protocol = protocols[name];
  if (protocol === undefined)
    throw new Error(`Unknown protocol "${name}". Expected ${Object.keys(protocols).join(", ")}.`);
  const page = join(root, `docs/conformance-${name}.md`);
  writeFileSync(page, pageOf(protocol, run(protocol.files), date));
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [page]);
  process.stdout.write(`${page}\n`);
}
