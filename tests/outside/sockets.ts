import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Visited, VisitResult } from "./visit.ts";

/** A handshake, and whether the service may let its sender in. */
type Knock = { readonly headers: Record<string, string>; readonly isServed: boolean };

/** Milliseconds for which a client waits for an answer. */
const patienceMs = 20_000;
const join = "40/service,";
const question = '42/service,["agent.run",{"name":"assistant","input":"Hello?"}]';

/** Opens handshakes over WebSocket and polling that say they come from pages of all kinds, and asks an agent behind each. */
export async function visitSockets({ url }: Visited): Promise<VisitResult> {
  const knocks = knocksAt(url);
  const faults: string[] = [];
  for (const { headers, isServed } of knocks) {
    for (const [transport, ask] of Object.entries({ websocket: askOverWebSocket, polling: askOverPolling })) {
      const received = await ask(url, headers);
      const isRefused = received.includes("44/service,") && !/agent\.|"runId"/.test(received);
      const isAnswered = received.includes("agent.done");
      if (isServed ? isAnswered : isRefused) continue;
      const expected = isServed ? "an answer" : "a refusal";
      faults.push(`${transport} ${JSON.stringify(headers)}: expected ${expected}, got ${received.slice(0, 300)}`);
    }
  }
  return { cases: knocks.length * 2, faults };
}

function knocksAt(url: string): Knock[] {
  const { port } = new URL(url);
  const foreign = ["https://evil.example", "null", `http://127.0.0.1:${Number(port) + 1}`, `${url}.evil.example`, ""];
  const refused = foreign.flatMap((origin) => [{ origin }, { origin, cookie: "user=ada" }]);
  const sites = ["cross-site", "same-site"].map((site) => ({ origin: url, "sec-fetch-site": site }));
  const rebound = { origin: "http://evil.example", host: "evil.example", "sec-fetch-site": "same-origin" };
  const served = [{}, { origin: url }, { origin: url, "sec-fetch-site": "same-origin", cookie: "user=ada" }];
  return [
    ...[...refused, ...sites, rebound].map((headers) => ({ headers, isServed: false })),
    ...served.map((headers) => ({ headers: headers as Record<string, string>, isServed: true })),
  ];
}

async function askOverWebSocket(url: string, headers: Record<string, string>): Promise<string> {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  const sent = request(`${url}/socket.io/?EIO=4&transport=websocket`, { headers: { ...upgrade, ...headers } });
  const stream = await new Promise<Duplex | string>((resolve, reject) => {
    sent.on("upgrade", (_, opened) => resolve(opened)).on("error", reject);
    sent.on("response", ({ statusCode }) => resolve(`status ${statusCode}`)).end();
  });
  if (typeof stream === "string") return stream;
  let received = "";
  stream.on("data", (piece: Buffer) => (received += piece.toString("latin1"))).on("error", () => undefined);
  const until = async (isWanted: (text: string) => boolean): Promise<void> => {
    const deadline = Date.now() + patienceMs;
    while (!isWanted(received) && !stream.destroyed && Date.now() < deadline) await sleep(5);
  };
  stream.write(toFrame(join));
  await until(isDecided);
  // A client that was refused asks all the same.
  stream.write(toFrame(question));
  await until(isOver);
  stream.destroy();
  return received;
}

/** Returns a text frame of a client, with a mask of zeros. */
function toFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

async function askOverPolling(url: string, headers: Record<string, string>): Promise<string> {
  const path = `${url}/socket.io/?EIO=4&transport=polling`;
  const opened = await send(path, headers);
  const sid = /"sid":"([^"]+)"/.exec(opened)?.[1];
  if (sid === undefined) return opened;
  const session = `${path}&sid=${sid}`;
  let received = "";
  const deadline = Date.now() + patienceMs;
  const until = async (isWanted: (text: string) => boolean): Promise<void> => {
    while (!isWanted(received) && Date.now() < deadline) received += await send(session, headers);
  };
  await send(session, headers, join);
  await until(isDecided);
  await send(session, headers, question);
  await until(isOver);
  return received;
}

/** Sends a request with headers that `fetch` does not let a program choose, and returns the body of the answer. */
async function send(url: string, headers: Record<string, string>, body?: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? "GET" : "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => resolve(text)).on("error", reject);
    });
    sent.on("error", reject).end(body);
  });
}

function isDecided(received: string): boolean {
  return received.includes("44/service,") || received.includes("40/service,");
}

function isOver(received: string): boolean {
  return received.includes("44/service,") || received.includes("agent.done") || received.includes("agent.error");
}
