import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgents } from "./service.ts";

test("a worker performs a run of the queue", async () => {
  const folder = mkdtempSync(join(tmpdir(), "worker-"));
  process.chdir(folder);
  process.env["DATABASE_URL"] = "";
  const service = createAgents(new ScriptedModel("Good morning."));

  const run = await service.begin({ agent: "helper", input: "Hello" });

  assert.equal((await run.output).text, "Good morning.");
  await service.close();
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true, maxRetries: 5 });
});
