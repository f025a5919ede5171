import { Agent as Connections, request as open } from "node:http";
import { sample } from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { rightRequest, targetsOf, wrongRequest } from "../../test/described-requests.ts";
import type { Made, Target } from "../../test/described-requests.ts";
import { faultyService } from "../../test/faulty-service.ts";
import { sendRaw } from "../../test/raw.ts";
import { serve } from "../../test/serve.ts";
import type { Service } from "../../test/service.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

/** More on demand. */
const total = Number(process.env["TROUPE_TEST_REQUESTS"] ?? 20_000);
const least = 20;

/** How a status is had from an operation: by what is wrong with the request, or by what is to go wrong in it. */
const provoked: Readonly<Record<number, Partial<Made>>> = {
  401: { headers: { "x-test-fault": "unauthorized" } },
  403: { headers: { "x-test-user": "ada" }, body: '{"input":"x","userId":"bob"}' },
  404: { headers: { "x-test-fault": "not_found" } },
  409: { headers: { "x-test-fault": "conflict" } },
  413: { body: JSON.stringify({ input: "x".repeat(30_000) }) },
  415: { headers: { "content-type": "text/plain" } },
  422: { headers: { "x-test-fault": "guardrail_blocked" } },
  429: { headers: { "x-test-fault": "rate_limited" } },
  499: { headers: { "x-test-fault": "cancelled" } },
  500: { headers: { "x-test-fault": "middleware" } },
  502: { headers: { "x-test-fault": "model_failed" } },
  503: { headers: { "x-test-fault": "unavailable" } },
  504: { headers: { "x-test-fault": "timeout" } },
};

/** The same for what has no run in it. */
const provokedElsewhere: Readonly<Record<string, Partial<Made>>> = {
  "GET /sessions 200": { headers: { "x-test-user": "ada" }, path: "/sessions" },
  "GET /sessions 400": { headers: { "x-test-user": "ada" }, path: "/sessions?limit=0" },
  "GET /sessions 401": { headers: {}, path: "/sessions" },
  "GET /sessions 503": { headers: { "x-test-user": "ada", "x-test-fault": "storage" }, path: "/sessions" },
  "GET /sessions/{id} 200": { headers: {}, path: "/sessions/kept" },
  "GET /sessions/{id}/turns 200": { headers: {}, path: "/sessions/kept/turns" },
  "POST /runs/{runId}/cancel 400": { path: "/runs/%zz/cancel" },
  "GET /ready 503": { headers: { "x-test-fault": "storage" } },
};

/** What no single request provokes: other tests have runs on their way to cancel, and sessions to delete. */
const elsewhere = new Set([
  "POST /workflows/w/stream 499",
  "POST /workflows/w/stream 503",
  "POST /runs/{runId}/cancel 200",
  "DELETE /sessions/{id} 409",
  "DELETE /sessions/{id} 204",
]);

function provocation(target: Target, status: number): Partial<Made> {
  if (target.operation.requestBody === undefined) return provocationElsewhere(target, status);
  if (status === 200) return { headers: { "content-type": "application/json" } };
  return status === 400 ? { body: "{" } : (provoked[status] ?? {});
}

function provocationElsewhere({ name, method }: Target, status: number): Partial<Made> {
  const known = provokedElsewhere[`${name} ${status}`];
  if (known !== undefined) return known;
  if (status === 500) return { headers: { "x-test-fault": "middleware" } };
  if (!name.includes("{id}")) return {};
  if (status === 503) return { headers: { "x-test-fault": "storage" } };
  return status === 400 ? { path: name.slice(method.length + 1).replace("{id}", "a%23b") } : {};
}

/** Sends over connections that are kept: a new one each time would be most of the work. */
async function send(service: Service, connections: Connections, made: Made): Promise<number> {
  const { method, path, body } = made;
  // Without its length, the body of a GET would be read as the next request.
  const headers = { ...made.headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) };
  return await new Promise((resolve, reject) => {
    const asked = open(
      { port: service.port, host: "127.0.0.1", method, path, headers, agent: connections },
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", reject);
      },
    );
    asked.on("error", (error: Error) => {
      // A connection that was kept may have been closed in the moment in which it was taken up again.
      if (asked.reusedSocket) resolve(send(service, connections, made));
      else reject(new Error(JSON.stringify(made), { cause: error }));
    });
    asked.end(body);
  });
}

async function inTurn<Each>(list: readonly Each[], width: number, work: (each: Each) => Promise<void>): Promise<void> {
  const rest = list[Symbol.iterator]();
  const worker = async () => {
    for (const each of rest) await work(each);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

const attacks = [
  "GET\r\n\r\n",
  "POST /agents/a/run HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
  "POST /agents/a/run HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST /agents/a/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  `GET /agents HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
  "GET /agents/%00%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "\u0000\u0001\u0002\r\n\r\n",
  "GET http://[::1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
];

it(
  `${total} requests that are made out of the description are all answered as it says, and none is the service's fault`,
  {
    timeout: 600_000,
  },
  async () => {
    const options = faultyService();
    const spec = generateOpenAPISpec(options);
    const service = await serve(options);
    const connections = new Connections({ keepAlive: true, maxSockets: 16 });
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => {
      process.off("unhandledRejection", note);
      connections.destroy();
    });
    await service.post("/agents/a/run", { input: "x", sessionId: "kept" });

    const targets = targetsOf(spec);
    const directed = targets.flatMap((target) => {
      const statuses = Object.keys(target.operation.responses).map(Number).filter(Number.isFinite);
      return statuses.flatMap((status) => {
        const more = provocation(target, status);
        return sample(rightRequest(spec, target), { numRuns: least, seed: status }).map((made) => ({
          ...made,
          ...more,
          headers: { ...(made.body && { "content-type": "application/json" }), ...(more.headers ?? made.headers) },
        }));
      });
    });
    const each = Math.ceil((total - directed.length) / targets.length / 10);
    const right = targets.flatMap((target) => sample(rightRequest(spec, target), { numRuns: each * 4, seed: 1 }));
    const wrong = targets.flatMap((target) => sample(wrongRequest(spec, target), { numRuns: each * 6, seed: 2 }));
    const seen = new Map<string, number>();
    const faults: string[] = [];

    await inTurn([...directed, ...right, ...wrong], 16, async (made) => {
      const status = await send(service, connections, made);
      const place = `${made.operation} ${status}`;
      seen.set(place, (seen.get(place) ?? 0) + 1);
      if (status >= 500 && !("x-test-fault" in made.headers)) faults.push(`${place} ${JSON.stringify(made)}`);
    });
    for (const attack of attacks) await sendRaw(service, attack);

    const promised = targets.flatMap(({ name, operation }) => {
      return Object.keys(operation.responses).map((status) => `${name} ${status}`);
    });
    const rare = promised.filter((place) => !place.endsWith("default") && (seen.get(place) ?? 0) < least);
    expect(faults).toEqual([]);
    expect(rare.filter((place) => !elsewhere.has(place))).toEqual([]);
    expect(unhandled).toEqual([]);
    expect(await service.ask("/health")).toMatchObject({ status: 200 });
  },
);
