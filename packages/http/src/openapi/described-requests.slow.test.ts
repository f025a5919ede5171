import { seededRandom } from "@troupe-internal/fault-tools";
import { ProcessProbe, riseSince, settled } from "@troupe-internal/run-checker";
import { expect, it, onTestFinished } from "vitest";
import { targetsOf } from "../../test/generated/described-requests.ts";
import type { Made } from "../../test/generated/described-requests.ts";
import { faultyService } from "../../test/generated/faulty-service.ts";
import { toForm } from "../../test/forms.ts";
import { makeRequests, statusesOf } from "../../test/generated/make-requests.ts";
import { attack } from "../../test/attacks/raw-attack.ts";
import { rawAttacks } from "../../test/attacks/raw-attacks.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { inShort, Sender } from "../../test/generated/sender.ts";
import { serve } from "../../test/serve.ts";
import type { Service } from "../../test/service.ts";
import { SlowHeads } from "../../test/attacks/slow-heads.ts";
import { endFullRun, sequences } from "../../test/generated/sequences.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

const total = 20_000;
/** The least answers of each described status. */
const least = 20;
const rightShare = 0.4;
/** The number of requests at a time. */
const width = 20;
const slowHeads = 50;

/** Returns a description of a wrong answer, if it is wrong. */
function faultOf(made: Made, status: number): string | undefined {
  const isPlanned = "x-test-fault" in made.headers;
  const isServices = status >= 500 && !isPlanned;
  const isRefused = made.isRight && !isPlanned && [400, 413, 415].includes(status);
  const isTaken = made.refusal !== undefined && made.refusal !== status;
  return isServices || isRefused || isTaken ? `${status} for ${inShort(made)}` : undefined;
}

/** Serves a router with checked answers, and a probe of what the process holds. */
async function serveProbed() {
  const { options, hosting } = faultyService();
  const service = await serve(options, hosting);
  const { servedRuns } = service.served;
  const leftFiles = watchTemporaryFiles();
  const probe = new ProcessProbe({ runs: () => servedRuns.size, files: () => leftFiles().named.length });
  onTestFinished(() => probe.stop());
  return { service, probe, warnings: watchWarnings(), spec: generateOpenAPISpec(options) };
}

/** Serves a router that takes no more runs. */
async function serveDraining(): Promise<Service> {
  const { options, hosting } = faultyService();
  const service = await serve(options, hosting);
  await service.served.servedRuns.drain();
  return service;
}

/** Collects Node's warnings, for example of a file that was closed by the garbage collector. */
function watchWarnings(): string[] {
  const warnings: string[] = [];
  const note = (warning: Error & { code?: string }): void => {
    // Node's own warning for a target that is not a URL.
    if (warning.code !== "DEP0170") warnings.push(warning.message);
  };
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  return warnings;
}

/** Runs all tasks, a limited number at a time. */
async function doAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const random = seededRandom(7);
  const places = new Map(tasks.map((task) => [task, random()]));
  const inAnyOrder = tasks.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  const rest = inAnyOrder[Symbol.iterator]();
  const worker = async () => {
    for (const task of rest) await task();
  };
  await Promise.all(Array.from({ length: width }, worker));
}

it(`${total} requests generated from the description, with raw attacks among them, are all answered as described and leave nothing behind`, async () => {
  const { service, probe, warnings, spec } = await serveProbed();
  const draining = await serveDraining();
  const targets = targetsOf(spec);
  const requests = makeRequests(spec, targets, { total, least, rightShare });
  // The first request of a kind loads modules that stay.
  await service.ask("/agents/a/run", { method: "POST", body: toForm({ input: "x" }) });
  await service.post("/agents/a/run", { input: "x" }, { "idempotency-key": "first" });
  const image = { type: "image", data: "QUJD", mimeType: "image/png" };
  await service.post("/agents/a/run", { input: [image], sessionId: "kept" });
  const before = probe.take();
  const sender = new Sender(service.port, width);
  const slow = await SlowHeads.open(service.port, slowHeads);
  const faults: string[] = [];
  const seen = new Map<string, number>();
  const see = (place: string) => seen.set(place, (seen.get(place) ?? 0) + 1);

  const asking = requests.map((made) => async () => {
    const status = await sender.send(made);
    see(`${made.target} ${status}`);
    const fault = faultOf(made, status);
    if (fault !== undefined) faults.push(fault);
  });
  const attacking = Object.entries(rawAttacks).flatMap(([name, each]) =>
    Array.from({ length: least }, () => async () => {
      const problem = await attack(service.port, each);
      if (problem !== undefined) faults.push(`${name} ${problem}`);
    }),
  );
  const telling = Array.from({ length: least }, (_, id) => async () => {
    for (const sequence of sequences) (await sequence(service, String(id))).forEach(see);
    see(`POST /workflows/w/stream ${(await draining.post("/workflows/w/stream", {})).status}`);
  });
  await doAll([...asking, ...attacking, ...telling]);
  await endFullRun(service);

  expect(faults).toEqual([]);
  expect(requests.filter(({ isRight }) => isRight).length / requests.length).toBeCloseTo(rightShare, 2);
  const described = targets.flatMap((target) => statusesOf(target).map((status) => `${target.name} ${status}`));
  expect(described.filter((place) => (seen.get(place) ?? 0) < least)).toEqual([]);
  // Node waits a minute for a head.
  expect(slow.close().filter((end) => end !== "waiting" && end !== 408)).toEqual([]);
  sender.close();
  expect(await service.ask("/health")).toMatchObject({ status: 200 });
  const after = await settled(() => probe.take(), before, { withinMs: 10_000 });
  expect(riseSince(before, after)).toEqual({});
  expect([after.uncaught, warnings]).toEqual([0, []]);
});
