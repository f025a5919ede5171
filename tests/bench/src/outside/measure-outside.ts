import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TestChild } from "@troupe-internal/fault-tools";
import { startChild, stopChild } from "../child.ts";
import { median } from "../statistics.ts";
import { silent } from "./install-apart.ts";
import { installOutside } from "./install-outside.ts";

/** The answers that a product is asked for: a whole answer, one after a call of a tool, or an answer in 200 pieces. */
export const kinds = ["run", "tool", "stream"] as const;
type Kind = (typeof kinds)[number];

/** Runs of a product at a time. */
export const concurrency = 16;
const runsOf: Readonly<Record<Kind, number>> = { run: 200, tool: 150, stream: 60 };

/** A product in a process of its own. */
type Product = { readonly name: string; readonly version: string; readonly child: TestChild };

/** The costs of a product: of each kind, the processor time of a run in microseconds, and its ratio to Troupe's. */
export type OutsideCosts = {
  readonly name: string;
  readonly version: string;
  readonly costs: Readonly<Record<Kind, { readonly cpuUs: number; readonly ratio: number }>>;
};

/**
 * Measures a run of Troupe and of other products against one vendor that answers at once. In each round each product has its
 * turn; the ratios are taken within a round.
 */
export async function measureOutside(rounds: number): Promise<OutsideCosts[]> {
  const programs = installOutside();
  const vendor = await startChild("servers/mock-vendor.ts", undefined, { BENCH_CHUNKS: "200" });
  const products: Product[] = [];
  try {
    const troupe = join(import.meta.dirname, "__fixtures__/troupe.mjs");
    for (const [name, file] of Object.entries({ Troupe: troupe, ...programs })) {
      products.push(await start(name, file, `${vendor.url}/v1`));
    }
    const measured = products.map(({ name, version }) => ({
      name,
      version,
      samples: { run: [], tool: [], stream: [] },
    }));
    // The first round warms the products up, and does not count.
    for (let round = 0; round <= rounds; round++) {
      const costs = await measureAll(products);
      if (round > 0) measured.forEach(({ samples }, index) => note(samples, costs[index], costs[0]));
    }
    return measured.map(({ samples, ...product }) => ({ ...product, costs: costsOf(samples) }));
  } finally {
    for (const { child } of products) await child.close();
    stopChild(vendor);
  }
}

type Sample = { readonly cpuUs: number; readonly ratio: number };

function note(samples: Record<Kind, Sample[]>, costs?: Record<Kind, number>, own?: Record<Kind, number>): void {
  for (const kind of kinds) {
    const [cpuUs, ownUs] = [costs?.[kind] ?? NaN, own?.[kind] ?? NaN];
    samples[kind].push({ cpuUs, ratio: cpuUs / ownUs });
  }
}

function costsOf(samples: Readonly<Record<Kind, readonly Sample[]>>): OutsideCosts["costs"] {
  const of = (kind: Kind) => ({
    cpuUs: median(samples[kind].map(({ cpuUs }) => cpuUs)),
    ratio: median(samples[kind].map(({ ratio }) => ratio)),
  });
  return { run: of("run"), tool: of("tool"), stream: of("stream") };
}

async function start(name: string, file: string, url: string): Promise<Product> {
  const child = await TestChild.start(pathToFileURL(file), { args: [url], env: { ...process.env, ...silent } });
  const { version } = await answerOf<{ version: string }>(child, "version");
  return { name, version, child };
}

/** Measures each product in turn, one kind after the other, and returns the processor time of a run by kind, of each. */
async function measureAll(products: readonly Product[]): Promise<Record<Kind, number>[]> {
  const costs = products.map(() => ({ run: NaN, tool: NaN, stream: NaN }));
  for (const kind of kinds) {
    for (const [index, product] of products.entries()) {
      const cpuUs = await measure(product, kind);
      Object.assign(costs[index] ?? {}, { [kind]: cpuUs });
    }
  }
  return costs;
}

async function measure({ child }: Product, kind: Kind): Promise<number> {
  const answered = answerOf<{ cpuUs: number }>(child, "cpuUs");
  child.send({ kind, count: runsOf[kind], concurrency });
  return (await answered).cpuUs / runsOf[kind];
}

/** The next message with a field. Rejects with the output of a process that has failed. */
async function answerOf<Message extends object>(child: TestChild, field: keyof Message & string): Promise<Message> {
  const message = await child
    .next((each): each is object => typeof each === "object" && each !== null && (field in each || "failure" in each))
    .catch((error: unknown) => {
      throw new Error(`The process ended: ${child.output.toString()}`, { cause: error });
    });
  if ("failure" in message) throw new Error(String(message.failure));
  return message as Message;
}
