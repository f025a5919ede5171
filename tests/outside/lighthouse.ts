import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startStudio } from "../page/pictures/studio.ts";
import { chromium } from "../../tools/services/chromium.ts";
import { findProgram } from "../../tools/services/find-program.ts";
import { MissingServer } from "../../tools/services/service.ts";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

const version = "13.5.0";
/** Outside of the workspace. The version is in its name. */
const folder = join(homedir(), ".cache", "troupe", `lighthouse-${version}`);
const program = join(folder, "node_modules/lighthouse/cli/index.js");
const run = promisify(execFile);

/** Milliseconds for the report of a page: a busy machine draws slowly. */
const reportMs = 240_000;

/** Ensures that Lighthouse and Chromium are installed; throws `MissingServer` when one is not and may not be, or cannot be. */
export function needLighthouse(mayInstall: boolean): void {
  if (!mayInstall && findProgram("chromium") === undefined)
    throw new MissingServer("pass --install to have Chromium installed");
  if (existsSync(program)) return;
  if (!mayInstall) throw new MissingServer("pass --install to have Lighthouse installed");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    const packages = [`lighthouse@${version}`];
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("Lighthouse could not be installed with npm");
  }
}

/** The parts of a report of Lighthouse that are read. */
type Report = {
  readonly runtimeError?: { readonly message: string };
  readonly categories: Readonly<Record<string, Category>>;
  readonly audits: Readonly<Record<string, Audit>>;
};
type Category = { readonly score: number | null; readonly auditRefs: readonly { id: string; weight: number }[] };
type Audit = { readonly score: number | null; readonly title: string; readonly details?: object };

/** The windows of Lighthouse, with their options. */
const windows: Readonly<Record<string, readonly string[]>> = { phone: [], desktop: ["--preset=desktop"] };
/** The categories in which each page must have the full score. Performance is only reported: it depends on the machine. */
const judged = ["accessibility", "best-practices"];

/**
 * Lets Lighthouse judge each view of the page and the API reference, on a phone and on a desktop. Anything below 100 in
 * accessibility or best practices is a fault.
 */
export async function visitByLighthouse(_: Visited, { mayInstall }: VisitOptions): Promise<VisitResult> {
  const studio = await startStudio();
  const browser = await chromium.start({ mayInstall });
  const faults: string[] = [];
  const remarks: string[] = [];
  const { port } = new URL(browser.url);
  const pages = Object.entries(await findPages(studio.url));
  try {
    const asked = pages.flatMap(([name, address]) =>
      Object.entries(windows).map(([window, options]) => ({ name: `${name}, ${window}`, address, options })),
    );
    for (const { name, address, options } of asked) {
      const report = await judge(address, ["--port", port, ...options]);
      remarks.push(`${name}: ${scoresOf(report)}`);
      faults.push(...faultsOf(report).map((fault) => `${name}: ${fault}`));
    }
  } finally {
    await browser.stop();
    await studio.stop();
  }
  return { cases: pages.length * Object.keys(windows).length, faults, remarks };
}

/** Returns the addresses of the views, with a chat and a run that the studio has. */
async function findPages(url: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/inspector/runs?name=analyst`);
  const { runs } = (await response.json()) as { runs: { runId: string; sessionId: string }[] };
  const [first] = runs;
  if (first === undefined) throw new Error("The studio has no run.");
  return {
    "an empty chat": `${url}/`,
    "a chat": `${url}/#/s/${first.sessionId}`,
    "the runs": `${url}/#/inspector`,
    "a run": `${url}/#/inspector/${first.runId}`,
    "the inbox": `${url}/#/inbox`,
    "the overview": `${url}/#/overview`,
    "the schedules": `${url}/#/schedules`,
    "the API reference": `${url}/docs`,
  };
}

/** Returns the report of a page. A busy machine loses the beginning of a recording at times, so it is tried three times. */
async function judge(address: string, options: readonly string[]): Promise<Report> {
  for (let tries = 2; ; tries--) {
    try {
      return await judgeOnce(address, options);
    } catch (error) {
      if (tries === 0) throw error;
    }
  }
}

async function judgeOnce(address: string, options: readonly string[]): Promise<Report> {
  const categories = [...judged, "performance"].map((category) => `--only-categories=${category}`);
  const silent = ["--quiet", "--no-enable-error-reporting", "--disable-full-page-screenshot"];
  const { stdout } = await run(
    process.execPath,
    [program, address, "--output=json", "--output-path=stdout", ...categories, ...silent, ...options],
    { timeout: reportMs, maxBuffer: 64_000_000, env: { ...process.env, CI: "1", DO_NOT_TRACK: "1" } },
  );
  return JSON.parse(stdout) as Report;
}

function scoresOf({ categories }: Report): string {
  return Object.entries(categories)
    .map(([category, { score }]) => `${category} ${scoreOf(score)}`)
    .join(", ");
}

function scoreOf(score: number | null): string {
  return score === null ? "unknown" : String(Math.round(score * 100));
}

/** Returns the audits that cost a judged category points, with the first elements that they name. */
function faultsOf({ runtimeError, categories, audits }: Report): string[] {
  if (runtimeError !== undefined) return [runtimeError.message];
  return judged.flatMap((category) => {
    const { score = null, auditRefs = [] } = categories[category] ?? {};
    if (score === 1) return [];
    const failed = auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1);
    return [
      `${category} ${scoreOf(score)}`,
      ...failed.map(
        ({ id }) => `${id}: ${audits[id]?.title} ${JSON.stringify(audits[id]?.details ?? {}).slice(0, 600)}`,
      ),
    ];
  });
}
