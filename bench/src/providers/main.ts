import { startChild, stopChild } from "../child.ts";
import { measureInProcess, toInProcessTable } from "../measure-in-process.ts";
import type { Trial } from "../measure-in-process.ts";

/**
 * `pnpm --filter @troupe-internal/bench providers`: measures an answer in 200 pieces beside a reader written by hand, and a
 * whole one beside the library's raw reply and JSON.parse.
 */
const file = new URL("candidate.ts", import.meta.url);
const vendor = await startChild("servers/fake-vendor.ts", 1);

function trialOf(provider: string, [baseline, ours]: readonly [string, string], unitsPerRound: number): Trial {
  const candidates = [baseline, ours].map((name) => {
    return { name, file, env: { BENCH_PROVIDER: provider, BENCH_CANDIDATE: name, BENCH_VENDOR_URL: vendor.url } };
  });
  return { candidates, baseline, rounds: 11, unitsPerRound };
}

try {
  for (const provider of ["responses", "chat", "anthropic"]) {
    for (const trial of [
      trialOf(provider, ["hand reader", "provider, stream"], 60),
      trialOf(provider, ["raw reply", "provider, generate"], 300),
    ]) {
      console.log(`${provider}\n${toInProcessTable(await measureInProcess(trial), "answer")}\n`);
    }
  }
} finally {
  stopChild(vendor);
}
