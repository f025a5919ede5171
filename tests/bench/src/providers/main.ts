import { startChild, stopChild } from "../child.ts";
import { measureInProcess, toInProcessTable } from "../measure-in-process.ts";
import type { Trial } from "../measure-in-process.ts";

/**
 * `pnpm --filter @troupe-internal/bench providers`: measures an answer in 200 pieces beside a reader written by hand, a
 * whole one beside a raw reply and JSON.parse, and both and a run through a client of the vendor's library beside ours.
 */
const file = new URL("candidate.ts", import.meta.url);
const vendor = await startChild("servers/fake-vendor.ts", 1);

const rounds = Number(process.env["BENCH_ROUNDS"] ?? "11");

function trialOf(provider: string, names: readonly [string, ...string[]], unitsPerRound: number): Trial {
  const candidates = names.map((name) => {
    return { name, file, env: { BENCH_PROVIDER: provider, BENCH_CANDIDATE: name, BENCH_VENDOR_URL: vendor.url } };
  });
  return { candidates, baseline: names[0], rounds, unitsPerRound };
}

try {
  for (const provider of ["responses", "chat", "anthropic", "gemini"]) {
    for (const trial of [
      trialOf(provider, ["hand reader", "provider, stream", "client, stream"], 60),
      trialOf(provider, ["raw reply", "provider, generate", "client, generate"], 300),
      trialOf(provider, ["run", "run, client"], 300),
    ]) {
      console.log(`${provider}\n${toInProcessTable(await measureInProcess(trial), "answer")}\n`);
    }
  }
} finally {
  stopChild(vendor);
}
