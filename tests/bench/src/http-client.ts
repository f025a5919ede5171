import { Agent, request } from "node:http";
import { createHttpPool } from "@troupe/core/provider";
import { Agent as UndiciAgent } from "undici";
import { answerRounds } from "./answer-rounds.ts";

/** Settings of a client process: the URL it calls, and its number of concurrent calls. */
export type ClientLoad = { url: string; body: string; concurrency: number };

/** Makes one request and discards the answer. */
type Call = (url: string, body: string) => Promise<void>;

const headers = { "content-type": "application/json", authorization: "Bearer none" };

async function drain(bytes: AsyncIterable<unknown> | null): Promise<void> {
  for await (const _ of bytes ?? []);
}

/** The clients by name, each used as its documentation shows. */
export const clients: Readonly<Record<string, () => Call>> = {
  fetch: () => async (url, body) => drain((await fetch(url, { method: "POST", headers, body })).body),
  "node:http": () => {
    const agent = new Agent({ keepAlive: true });
    return (url, body) =>
      new Promise((resolve, reject) => {
        const sent = request(
          url,
          { method: "POST", headers, agent },
          (answer) => void drain(answer).then(resolve, reject),
        );
        sent.on("error", reject).end(body);
      });
  },
  "undici request": () => {
    const agent = new UndiciAgent();
    return async (url, body) => {
      const { origin, pathname: path } = new URL(url);
      await drain((await agent.request({ origin, path, method: "POST", headers, body })).body);
    };
  },
  pool: () => {
    const pool = createHttpPool();
    return async (url, body) => drain((await pool.send(url, { method: "POST", headers, body })).bytes);
  },
};

async function run(call: Call, { url, body, concurrency }: ClientLoad, count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call(url, body);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const { BENCH_CLIENT: name = "", BENCH_CLIENT_LOAD: load = "" } = process.env;
const create = clients[name];
if (create !== undefined) {
  const call = create();
  answerRounds((count) => run(call, JSON.parse(load) as ClientLoad, count));
}
