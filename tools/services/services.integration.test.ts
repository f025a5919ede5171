import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";

/** Sends bytes to a server and returns the first it answers. */
async function ask(variable: string, bytes: Buffer | string): Promise<Buffer> {
  const { hostname, port } = new URL(process.env[variable] ?? "missing:");
  const socket = connect(Number(port), hostname);
  try {
    socket.write(bytes);
    const [answer] = (await once(socket, "data")) as [Buffer];
    return answer;
  } finally {
    socket.destroy();
  }
}

it("PostgreSQL answers where the tests are told to look for it", async () => {
  // A request for encryption, which every server answers with one letter: yes or no.
  const answer = await ask("TROUPE_TEST_POSTGRES_URL", Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]));

  expect(answer.toString("latin1")).toMatch(/^[SN]$/);
});

it("Redis answers where the tests are told to look for it", async () => {
  expect((await ask("TROUPE_TEST_REDIS_URL", "PING\r\n")).toString("latin1")).toBe("+PONG\r\n");
});
