import { Agent, request } from "node:http";
import { createHttpPool } from "@troupe/core/adapter";
import { Agent as UndiciAgent } from "undici";

/** What the measurement asks of a client's process. */
export type ClientOrder = { url: string; body: string; count: number; concurrency: number };

/** Makes one request and gives every byte of the answer away. */
type Call = (url: string, body: string) => Promise<void>;

const headers = { "content-type": "application/json", authorization: "Bearer none" };

async function drain(bytes: AsyncIterable<unknown> | null): Promise<void> {
  for await (const _ of bytes ?? []);
}

/** The clients by name. Each is used as its own documentation shows. */
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
  "pooled fetch": () => {
    const pool = createHttpPool();
    return async (url, body) => drain((await pool.fetch(url, { method: "POST", headers, body })).body);
  },
};

async function run(call: Call, { url, body, count, concurrency }: ClientOrder): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call(url, body);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const create = clients[process.env["BENCH_CLIENT"] ?? ""];
if (create !== undefined) {
  const call = create();
  process.on("message", (order: ClientOrder) => void run(call, order).then(() => process.send?.({ done: true })));
  process.on("disconnect", () => process.exit());
  process.send?.({ ready: true });
}
