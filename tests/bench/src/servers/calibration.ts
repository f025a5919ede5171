import { createServer } from "node:http";
import { listen } from "./listen.ts";

/**
 * A fixed piece of a server's work: sockets, JSON, strings, a Map. It uses no package and is never made faster: older
 * calibrated figures would lose their meaning.
 */
const order = JSON.stringify({ items: Array.from({ length: 10 }, (_, at) => ({ at, text: "word ".repeat(10) })) });

type Order = { items: { at: number; text: string }[] };

function work(body: string): string {
  const { input } = JSON.parse(body) as { input: string };
  const { items } = JSON.parse(order) as Order;
  const byText = new Map(items.map((item) => [item.text + item.at, { ...item, input }]));
  return JSON.stringify({ text: "word ".repeat(100), count: byText.size, items: [...byText.values()] });
}

const server = createServer((request, response) => {
  const received: Buffer[] = [];
  request.on("data", (bytes: Buffer) => received.push(bytes));
  request.on("end", () => {
    const answer = work(Buffer.concat(received).toString("utf8"));
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
});

listen(server);
