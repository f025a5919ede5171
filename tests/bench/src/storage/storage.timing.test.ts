import { MongodbServer, PostgresServer } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { allPasts, fillPasts, measureTurns } from "./measure-turns.ts";
import { openMongodb, secantusPasts } from "./mongodb-turns.ts";
import { openPostgres } from "./postgres-turns.ts";
import { openSqlite } from "./sqlite-turns.ts";
import type { TurnStorage } from "./turn-storage.ts";

type Measured = { ratio: number; growth: number };

const most = 1.5;

/** Returns the worst of all pasts. A measurement that fails is repeated twice, since other load only adds to it. */
async function worstOf(opening: Promise<TurnStorage>, pasts = allPasts): Promise<Measured> {
  const storage = await opening;
  onTestFinished(async () => await storage.close());
  await fillPasts(storage, pasts);
  let measured = await measure(storage, pasts);
  for (let again = 0; again < 2 && isAbove(measured); again += 1) measured = await measure(storage, pasts);
  return measured;
}

async function measure(storage: TurnStorage, pasts: readonly number[]): Promise<Measured> {
  const costs = await measureTurns(storage, { pasts, rounds: 60 });
  return {
    ratio: Math.max(...costs.map(({ ratio }) => ratio)),
    growth: Math.max(...costs.map(({ growth }) => growth)),
  };
}

function isAbove({ ratio, growth }: Measured): boolean {
  return ratio > most || growth > most;
}

describe("appending a turn and loading the last 20", () => {
  it("costs in SQLite at most half more than by hand, and the same behind 10 and 100,000 turns", async () => {
    const { ratio, growth } = await worstOf(openSqlite());

    expect(ratio).toBeLessThanOrEqual(most);
    expect(growth).toBeLessThanOrEqual(most);
  });

  it.skipIf(!PostgresServer.isInstalled())(
    "costs in PostgreSQL at most half more than by hand, and the same behind 10 and 100,000 turns",
    async () => {
      const server = await PostgresServer.create();
      onTestFinished(async () => await server.close());
      const { ratio, growth } = await worstOf(openPostgres(server.url));

      expect(ratio).toBeLessThanOrEqual(most);
      expect(growth).toBeLessThanOrEqual(most);
    },
  );

  it.skipIf(!MongodbServer.isInstalled())("costs over MongoDB's protocol at most half more than by hand", async () => {
    const server = await MongodbServer.create();
    onTestFinished(async () => await server.close());
    const { ratio } = await worstOf(openMongodb(server.url), secantusPasts);

    expect(ratio).toBeLessThanOrEqual(most);
  });
});
