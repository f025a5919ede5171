import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { DemoServers, post } from "./test/start-demo.ts";
import type { StartedDemo } from "./test/start-demo.ts";

const address = (name: string): string => process.env[`TROUPE_TEST_${name}_URL`] ?? "";
const secret = `secret-${randomUUID()}`;
const database = `demo-${randomUUID().slice(0, 8)}`;
/** The database of a MongoDB server, with a parameter that is not to be printed. */
const inMongo = address("MONGODB") && `${address("MONGODB").replace(/\/?(\?.*)?$/, "")}/${database}?appName=${secret}`;
const inPostgres = address("PGVECTOR") && `${address("PGVECTOR")}?application_name=${secret}`;

const choices: readonly [name: string, variables: Record<string, string>, banner: RegExp][] = [
  ["MongoDB", { MONGODB_URL: inMongo }, /sessions {3}mongodb:[^]*vectors {4}mongodb:.*\(mongodb\)/],
  [
    "PostgreSQL with pgvector",
    { DATABASE_URL: inPostgres },
    /sessions {3}postgres:[^]*vectors {4}postgres:.*\(pgvector\)/,
  ],
  [
    "Qdrant beside its file",
    { QDRANT_URL: address("QDRANT"), QDRANT_API_KEY: secret },
    /sessions {3}\/.*troupe\.db[^]*vectors {4}http:.*\(qdrant\)/,
  ],
  ["Redis beside its file", { REDIS_URL: address("REDIS") }, /sessions {3}\/.*troupe\.db[^]*redis:/],
];

/** A user of the demo, and all that the demo prints meanwhile. */
class Visitor {
  readonly printed: string[] = [];
  readonly #user = randomUUID();
  #url = "";

  /** Visits a demo from now on. */
  visit({ url, said, child }: StartedDemo): void {
    this.#url = url;
    this.printed.push(said);
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: string) => this.printed.push(text));
  }

  async ask(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
    const headers = { ...(init.headers as Record<string, string>), "x-demo-user": this.#user };
    const response = await fetch(this.#url + path, { ...init, headers });
    return { status: response.status, text: await response.text() };
  }

  async run(agent: string, input: string, sessionId: string): Promise<{ status: number; text: string }> {
    return await this.ask(`/agents/${agent}/run`, post({ input, sessionId }));
  }
}

describe("the demo server with its data in databases", { timeout: 300_000 }, () => {
  const folders: DemoServers[] = [];
  afterAll(async () => void (await Promise.all(folders.map(async (servers) => await servers.dispose()))));

  for (const [name, variables, banner] of choices) {
    it.skipIf(Object.values(variables).includes(""))(
      `chats, searches its docs, and goes on after a restart with history and a run that waits, in ${name}`,
      async () => {
        const servers = new DemoServers();
        folders.push(servers);
        const visitor = new Visitor();
        const [chat, booking] = [randomUUID(), randomUUID()];

        const first = await servers.start(variables);
        expect(first.said).toMatch(banner);
        visitor.visit(first);
        expect(await visitor.run("assistant", "My name is Ada.", chat)).toMatchObject({ status: 200 });
        const found = await visitor.run("support", "Can a run survive a restart of the server?", randomUUID());
        expect(found.text).toContain("docs/guide/durable-runs.md");
        const waiting = await visitor.run("assistant", "Book a room in Oslo.", booking);
        expect(waiting.status).toBe(202);
        first.child.kill("SIGTERM");
        expect(await first.exit).toEqual([0, null]);

        visitor.visit(await servers.start(variables));
        expect((await visitor.ask(`/sessions/${chat}/turns`)).text).toContain("My name is Ada.");
        expect((await visitor.run("assistant", "What is my name?", chat)).text).toContain("Your name is Ada");
        const { runId } = JSON.parse(waiting.text) as { runId: string };
        expect(await visitor.ask(`/runs/${runId}/answers/t.0.0`, post({ approved: true }))).toMatchObject({
          status: 204,
        });
        expect((await visitor.ask(`/runs/${runId}/events`)).text).toContain('"type":"finish"');
        expect((await visitor.ask(`/runs/${runId}`)).text).toMatch(/Room \d+ in Oslo is booked/);
        expect(visitor.printed.join("")).not.toContain(secret);
      },
    );
  }
});
