import { createServer } from "node:http";
import { Pool } from "undici";
import { listen, vendorUrl } from "./listen.ts";
import { FrameRelay, toOutput, toVendorRequest } from "./relay.ts";
import type { VendorAnswer } from "./relay.ts";

/** Baseline N: bare node:http, relaying by hand with a pooled client. */
const vendor = new Pool(vendorUrl(), { connections: 128 });

async function ask(body: string, stream: boolean) {
  const { input } = JSON.parse(body) as { input: string };
  return await vendor.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify(toVendorRequest(input, stream)),
  });
}

const server = createServer((request, response) => {
  const received: Buffer[] = [];
  request.on("data", (bytes: Buffer) => received.push(bytes));
  request.on("end", () => {
    void (async () => {
      const isStream = request.url?.endsWith("/stream") === true;
      const answer = await ask(Buffer.concat(received).toString("utf8"), isStream);
      if (!isStream) {
        const output = JSON.stringify(toOutput((await answer.body.json()) as VendorAnswer));
        response.writeHead(200, { "content-type": "application/json" }).end(output);
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      const relay = new FrameRelay();
      for await (const bytes of answer.body) response.write(relay.next(bytes as Buffer));
      response.end();
    })();
  });
});

listen(server);
