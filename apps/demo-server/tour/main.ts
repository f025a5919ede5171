// `pnpm demo:tour`: builds the demo, starts it, drives each of its endpoints with curl and with the official clients of its
// protocols, runs the recipes, prints what it sees, and fails on anything unexpected.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Curl } from "./curl.ts";
import { startDemo } from "./demo-process.ts";
import { Tour } from "./tour.ts";
import { visitA2A } from "./visit-a2a.ts";
import { visitAgUi } from "./visit-ag-ui.ts";
import { visitHttp } from "./visit-http.ts";
import { visitMcp } from "./visit-mcp.ts";
import { visitPaths } from "./visit-paths.ts";
import { visitRecipes } from "./visit-recipes.ts";
import { visitRestart } from "./visit-restart.ts";
import { visitSockets } from "./visit-sockets.ts";

const start = performance.now();
const folder = mkdtempSync(join(tmpdir(), "troupe-tour-"));
const tour = new Tour();
const demo = await startDemo(join(folder, "data"));
process.stdout.write(`${demo.banner}\n`);
try {
  const curl = new Curl(demo.url);
  await visitHttp(tour, curl, folder);
  await visitSockets(tour, demo.url);
  await visitA2A(tour, demo.url, curl);
  await visitMcp(tour, demo.url);
  await visitAgUi(tour, demo.url, curl);
  await visitPaths(tour, curl);
  await visitRecipes(tour);
  await visitRestart(tour, demo, join(folder, "data"));
} catch (error) {
  tour.faults.push(error instanceof Error ? error.message : String(error));
} finally {
  demo.kill();
  rmSync(folder, { recursive: true, force: true });
}
const seconds = ((performance.now() - start) / 1000).toFixed(0);
process.stdout.write(`\n${tour.steps} steps in ${seconds} s, ${tour.faults.length} of them unexpected\n`);
for (const fault of tour.faults) process.stdout.write(`- ${fault}\n`);
process.exitCode = tour.faults.length === 0 ? 0 : 1;
