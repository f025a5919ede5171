import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";

const address = (variable: string): string => process.env[variable] ?? `not started by pnpm test:services`;

/** Sends bytes to a server and returns the first it answers. */
async function ask(url: string, bytes: Buffer | string): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    socket.write(bytes);
    const [answer] = (await once(socket, "data")) as [Buffer];
    return answer;
  } finally {
    socket.destroy();
  }
}

/** A request for encryption, which every server of PostgreSQL's protocol answers with one letter: yes or no. */
const encryptionRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

const postgres = address("TROUPE_TEST_POSTGRES_URL");
it.skipIf(postgres === "")("PostgreSQL answers where the tests are told to look for it", async () => {
  expect((await ask(postgres, encryptionRequest)).toString("latin1")).toMatch(/^[SN]$/);
});

const pgbouncer = address("TROUPE_TEST_PGBOUNCER_URL");
it.skipIf(pgbouncer === "")("PgBouncer answers where the tests are told to look for it", async () => {
  expect((await ask(pgbouncer, encryptionRequest)).toString("latin1")).toMatch(/^[SN]$/);
});

const redis = address("TROUPE_TEST_REDIS_URL");
it.skipIf(redis === "")("Redis answers where the tests are told to look for it", async () => {
  expect((await ask(redis, "PING\r\n")).toString("latin1")).toBe("+PONG\r\n");
});

const chromium = address("TROUPE_TEST_CHROMIUM_URL");
it.skipIf(chromium === "")("Chromium answers where the tests are told to look for it", async () => {
  expect(await (await fetch(`${chromium}/json/version`)).json()).toHaveProperty("webSocketDebuggerUrl");
});

const qdrant = address("TROUPE_TEST_QDRANT_URL");
it.skipIf(qdrant === "")("Qdrant answers where the tests are told to look for it", async () => {
  expect(await (await fetch(qdrant)).json()).toHaveProperty("version");
});
