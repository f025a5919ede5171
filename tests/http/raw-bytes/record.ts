import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionExchange } from "./exchange.ts";
import type { RecordedService } from "./make-service.ts";
import { Normaliser } from "./normalise.ts";
import type { Entry, Seen, Wait } from "./table/entry.ts";
import { writeSection } from "./write-section.ts";
import type { Recorded } from "./write-section.ts";

/** Sends the requests of a table one after the other and returns the recording: one section for each. */
export async function record(service: RecordedService, table: readonly Entry[]): Promise<string> {
  const { port } = service;
  const exchanges = new Map<string, ConnectionExchange>();
  const seen = new Answers(exchanges);
  for (const entry of table) {
    const { title, request, endsService = false } = entry;
    if (exchanges.has(title)) throw new Error(`The table has the title ${JSON.stringify(title)} twice.`);
    if (endsService) service.end();
    if (entry.before !== undefined) await waitFor(port, entry.before(seen));
    await untilNextMillisecond();
    const exchange = new ConnectionExchange(port, typeof request === "function" ? request(seen) : request);
    exchanges.set(title, exchange);
    await goThrough(exchange, entry);
  }
  const normaliser = new Normaliser();
  const sections: string[] = [];
  for (const [index, entry] of table.entries()) {
    normaliser.begin(index + 1);
    const recorded = await endOf(entry, exchanges.get(entry.title));
    sections.push(writeSection({ ...recorded, title: `${index + 1}. ${entry.title}` }, normaliser));
  }
  return `${sections.join("\n\n")}\n`;
}

async function goThrough(exchange: ConnectionExchange, { goOnAt, leaveAt }: Entry): Promise<void> {
  const text = goOnAt ?? leaveAt;
  if (text === undefined) return await exchange.end();
  await exchange.contains(text);
  if (leaveAt !== undefined) exchange.leave();
}

async function endOf({ title, leaveAt }: Entry, exchange: ConnectionExchange | undefined): Promise<Recorded> {
  if (exchange === undefined) throw new Error(`The request ${JSON.stringify(title)} was not sent.`);
  if (leaveAt === undefined) await exchange.end();
  const { request, answer } = exchange;
  return { title, request, answer, note: leaveAt === undefined ? "" : "the client disconnected here" };
}

async function waitFor(port: number, { request, until }: Wait): Promise<void> {
  for (let looks = 0; looks < 2000; looks++) {
    const exchange = new ConnectionExchange(port, request);
    await exchange.end();
    if (exchange.answer.includes(until)) return;
    await sleep(10);
  }
  throw new Error(`The service never came to ${until} in its answer to\n${request.toString()}`);
}

/** Gives each request a time of its own: lists are in the order of time. */
async function untilNextMillisecond(): Promise<void> {
  for (const before = Date.now(); Date.now() === before;) await sleep(1);
}

class Answers implements Seen {
  readonly #exchanges: ReadonlyMap<string, ConnectionExchange>;

  constructor(exchanges: ReadonlyMap<string, ConnectionExchange>) {
    this.#exchanges = exchanges;
  }

  header(title: string, name: string): string {
    return this.match(title, new RegExp(`^${name}: (.*)\\r$`, "im"));
  }

  match(title: string, pattern: RegExp): string {
    const answer = this.#exchanges.get(title)?.answer.toString() ?? "";
    const found = pattern.exec(answer)?.[1];
    if (found === undefined)
      throw new Error(`No ${String(pattern)} in the answer to ${JSON.stringify(title)}:\n${answer}`);
    return found;
  }
}
