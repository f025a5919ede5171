// `pnpm test:live [vendor …]`: meets the vendors whose keys are in the environment, and prints one page: each feature, seen or not
// seen. It says first what it will cost at most, and asks; `--yes` answers for you. `--model id` asks another model of the one
// vendor that is named, `--prices 3/15` computes with these US dollars per million input and output tokens, `--out file` writes
// the page to a file as well. `--url http://127.0.0.1:8080` meets a server of your own, such as llama.cpp, in place of vendors.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import type { ModelProvider } from "@troupe/core";
import { llamacpp } from "@troupe/providers-openai/presets";
import { seeFeatures, slowSettings, vendorSettings } from "./features.ts";
import type { Sights } from "./features.ts";
import { faultsOf, readPrices, toPage, toPlan } from "./page.ts";
import type { Asked } from "./page.ts";
import { liveVendors } from "./vendors.ts";

const { values, positionals } = parseArgs({
  options: {
    yes: { type: "boolean", default: false },
    model: { type: "string" },
    prices: { type: "string", default: "15/75" },
    out: { type: "string" },
    url: { type: "string" },
  },
  allowPositionals: true,
});

type Met = Asked & { readonly model: ModelProvider };

const prices = readPrices(values.prices);
const { met, missing } = values.url === undefined ? findVendors() : ownServer(values.url);

if (met.length === 0) {
  console.error("No vendor can be met: none of these variables is set.");
  for (const [name, { variables }] of Object.entries(liveVendors)) console.error(`${name}: ${variables.join(" or ")}`);
  process.exit(2);
}
console.log(toPlan(met, missing, prices));
if (!(await isConfirmed())) process.exit(2);
const results: (Asked & Sights)[] = [];
for (const { vendor, modelId, model } of met) {
  const seen = await seeFeatures(model, values.url === undefined ? vendorSettings : slowSettings);
  results.push({ vendor, modelId, ...seen });
}
const page = toPage(results, missing, prices);
console.log(`\n${page}`);
if (values.out !== undefined) writeFileSync(values.out, page);
const faults = faultsOf(results);
for (const fault of faults) console.error(`Not seen, though every model has it: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function findVendors(): { met: Met[]; missing: string[] } {
  const names = positionals.length > 0 ? positionals : Object.keys(liveVendors);
  const found: Met[] = [];
  const without: string[] = [];
  for (const vendor of names) {
    const known = Object.hasOwn(liveVendors, vendor) ? liveVendors[vendor] : undefined;
    if (known === undefined) {
      throw new Error(`Unknown vendor ${vendor}. Expected one of ${Object.keys(liveVendors).join(", ")}.`);
    }
    const hasKey = known.variables.some((name) => (process.env[name] ?? "") !== "");
    const modelId = (positionals.length === 1 ? values.model : undefined) ?? known.modelId;
    if (hasKey) found.push({ vendor, modelId, model: known.make(modelId) });
    else without.push(vendor);
  }
  return { met: found, missing: without };
}

function ownServer(url: string): { met: Met[]; missing: string[] } {
  const modelId = values.model ?? "default";
  return { met: [{ vendor: "server", modelId, model: llamacpp(modelId, { baseURL: `${url}/v1` }) }], missing: [] };
}

async function isConfirmed(): Promise<boolean> {
  if (values.yes || values.url !== undefined) return true;
  if (!process.stdin.isTTY) {
    console.error("Pass --yes to go on without a terminal.");
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Go on? [y/N] ");
  terminal.close();
  return /^y/i.test(answer);
}
