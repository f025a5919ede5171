import { expect, it } from "vitest";
import { createLogger } from "../log/logger.ts";
import { createRunContext, scratchOf } from "../run/run-context.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { contextForStep } from "./context-for-step.ts";

it("keeps the sessions of steps where the run above has its own that end with it", () => {
  const scratch = new InMemoryStorage();
  const { signal } = new AbortController();
  const facts = { runId: "r", agentName: "flow", sessionId: "s", metadata: {}, signal, logger: createLogger() };
  const context = createRunContext(facts, { apiKeys: {}, meter: new UsageMeter(), scratch });

  expect(scratchOf(contextForStep(context, { name: "step", signal, text: "", meter: new UsageMeter() }))).toBe(scratch);
});
