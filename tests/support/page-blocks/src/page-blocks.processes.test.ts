import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "./blocks.ts";
import { programCases } from "./program-cases.ts";
import { serveAgents } from "./service.ts";
import type { Served } from "./service.ts";

describe("a block that is a program", () => {
  let served: Served;
  beforeAll(async () => void (served = await serveAgents()));
  afterAll(async () => await served.close());

  it.each(programCases)("of $page does what the page says: $begins", async (each) => {
    await expect(each.run(textOf(each), served)).resolves.toBeUndefined();
  });
});
