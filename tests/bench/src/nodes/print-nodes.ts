import type { Spread } from "../statistics.ts";
import { toLines } from "../table.ts";
import { measureNodes } from "./measure-nodes.ts";
import type { NodesFigures } from "./measure-nodes.ts";
import type { NodesLoad } from "./nodes-orders.ts";
import type { CallFigures } from "./timed-storage.ts";

/** Measures runs that one process performs and another one reads, and prints the figures. Returns false when tokens were lost or doubled. */
export async function printNodes(load: NodesLoad): Promise<boolean> {
  const figures = await measureNodes(load);
  const { took, sinceDue, stored, written, cpu, inserts, looks, transactionsPerSecond } = figures;
  const { runs, rate, seconds } = load;
  const sections = [
    [
      [`ms, ${runs} runs x ${rate} tokens/s`, "p50", "p95", "p99", "most"],
      spreadRow("model to reader", took),
      spreadRow("due to reader", sinceDue),
      spreadRow("model to storage", stored),
      spreadRow("write to reader", written),
    ],
    [
      ["CPU, % of a core", "worker", "reader", "PostgreSQL"],
      ["", ...[cpu.worker, cpu.reader, cpu.postgres].map((share) => (share * 100).toFixed(0))],
    ],
    [
      ["statements", "a second", "ms (p50)", "records (p50)"],
      callRow("inserts of the worker", inserts),
      callRow("looks of the reader", looks),
      ["all transactions", transactionsPerSecond.toFixed(0)],
    ],
  ];
  for (const rows of sections) console.log(`${toLines(rows)}\n`);
  console.log(describeTokens(figures, seconds));
  return Object.values(figures.faults).every((count) => count === 0);
}

function spreadRow(name: string, { median, p95, p99, max }: Spread): string[] {
  return [name, ...[median, p95, p99, max].map((ms) => ms.toFixed(1))];
}

function callRow(name: string, { perSecond, medianMs, records }: CallFigures): string[] {
  return [name, perSecond.toFixed(1), medianMs.toFixed(1), records.toFixed(0)];
}

function describeTokens({ tokens, faults, loadBefore }: NodesFigures, seconds: number): string {
  const { gaps, doubles, outOfOrder, restarts } = faults;
  return [
    `${tokens} tokens in ${seconds} s, ${(tokens / seconds).toFixed(0)} a second`,
    `in whole runs ${gaps} gaps, ${doubles} doubles, ${outOfOrder} out of order, ${restarts} restarts`,
    `load average before: ${loadBefore.toFixed(2)}`,
  ].join("\n");
}
